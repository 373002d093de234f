import type { ReactNode } from 'react';
import css from './EmptyState.module.css';

/** Says what belongs here and what to do, instead of showing nothing. */
export function EmptyState(props: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className={css.empty}>
      <h2>{props.title}</h2>
      {props.children && <div className={css.body}>{props.children}</div>}
      {props.action && <div className={css.action}>{props.action}</div>}
    </div>
  );
}
