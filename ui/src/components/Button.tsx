import type { ReactNode, Ref } from 'react';
import {
  Button as AriaButton,
  type ButtonProps as AriaButtonProps,
} from 'react-aria-components/Button';
import css from './Button.module.css';

/** What a button can look like and do. */
export interface ButtonProps extends Omit<AriaButtonProps, 'className' | 'style' | 'children'> {
  children: ReactNode;
  ref?: Ref<HTMLButtonElement>;
  /** `primary` once per screen at most; `quiet` has no frame; `danger` destroys something. */
  variant?: 'plain' | 'primary' | 'quiet' | 'danger';
  size?: 'normal' | 'large';
}

/** A button. A pending one keeps its width and its focus. */
export function Button({ variant = 'plain', size = 'normal', ...props }: ButtonProps) {
  return <AriaButton {...props} className={`${css.button} ${css[variant]} ${css[size]}`} />;
}
