import type { ReactNode } from 'react';
import css from './Banner.module.css';

/** A lasting remark above the page: something works less well than it should. */
export function Banner(props: { tone?: 'plain' | 'bad'; children: ReactNode; action?: ReactNode }) {
  return (
    <div role="status" className={css.banner} data-tone={props.tone ?? 'plain'}>
      <span>{props.children}</span>
      {props.action}
    </div>
  );
}
