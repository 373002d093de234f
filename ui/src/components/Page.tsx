import { type ReactNode, type Ref, useId } from 'react';
import css from './Page.module.css';

/** A section that is read from top to bottom. */
export function Page(props: {
  title: string;
  lead?: string;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <div className={css.page}>
      <header className={css.header}>
        <div>
          <h1>{props.title}</h1>
          {props.lead && <p>{props.lead}</p>}
        </div>
        {props.actions && <div className={css.actions}>{props.actions}</div>}
      </header>
      {props.children}
    </div>
  );
}

/** A titled part of a page. */
export function Panel(props: {
  title: string;
  children: ReactNode;
  actions?: ReactNode;
  /** Stands right after the title. */
  mark?: ReactNode;
}) {
  const id = useId();
  return (
    <section className={css.panel} aria-labelledby={id}>
      <header className={css.panelHeader}>
        <div className={css.panelTitle}>
          <h2 id={id}>{props.title}</h2>
          {props.mark}
        </div>
        {props.actions}
      </header>
      {props.children}
    </section>
  );
}

/** Panels or columns of them side by side, as many as the window has room for. */
export function Columns({ children }: { children: ReactNode }) {
  return <div className={css.columns}>{children}</div>;
}

/** One column of panels. */
export function Column({ children, ref }: { children: ReactNode; ref?: Ref<HTMLDivElement> }) {
  return (
    <div className={css.column} ref={ref}>
      {children}
    </div>
  );
}
