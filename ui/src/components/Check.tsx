import type { ReactNode } from 'react';
import { Checkbox } from 'react-aria-components/Checkbox';
import css from './Check.module.css';

/** One of several that are wanted or not, with whatever tells it from the others. */
export function Check(props: {
  children: ReactNode;
  isSelected: boolean;
  onChange: (on: boolean) => void;
  isDisabled?: boolean;
}) {
  return (
    <Checkbox
      className={css.check ?? ''}
      isSelected={props.isSelected}
      onChange={props.onChange}
      isDisabled={props.isDisabled}
    >
      <span className={css.box} aria-hidden="true">
        <svg viewBox="0 0 12 12" role="presentation">
          <path d="M2.5 6.2 5 8.6 9.5 3.6" />
        </svg>
      </span>
      <span className={css.words}>{props.children}</span>
    </Checkbox>
  );
}
