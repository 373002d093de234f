/** All eight stages side by side, each list under its card. */
import { memo } from 'react';
import type { Trace } from '../../ipc/bindings';
import { count, title } from '../../locales/en/format';
import { xray } from '../../locales/en/xray';
import { StageColumn } from '../../stages/StageList';
import { STAGES, stageOf } from '../../trace/model';
import css from './DebugColumns.module.css';
import { useXray, xrayStore } from './store';

const t = xray.stages;

export const DebugColumns = memo(function DebugColumns({ trace }: { trace: Trace }) {
  const { cards, expected, open } = useXray('cards', 'expected', 'open');
  return (
    <div className={css.columns}>
      {STAGES.map((name) => {
        const stage = stageOf(trace, name);
        return (
          <section key={name} className={css.column} aria-label={t.list(t.names[name])}>
            <h2>{t.names[name]}</h2>
            {name === 'route' ? (
              <Terms trace={trace} />
            ) : stage.items.length === 0 ? (
              <p className={css.empty}>{stage.reason ?? t.empty}</p>
            ) : (
              <StageColumn
                stage={stage}
                expected={expected}
                open={open}
                nameOf={(id) => title(cards[id]?.snippet ?? id)}
                onOpen={(id) => xrayStore().openMemory(id)}
              />
            )}
          </section>
        );
      })}
    </div>
  );
});

/** The route stage ranks no memories: its list is the terms and where they went. */
function Terms({ trace }: { trace: Trace }) {
  return (
    <ul className={css.terms}>
      {trace.terms.map((term, index) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: a query may hold a term twice; the place is its name.
          key={index}
          data-ignored={term.routes.includes('ignored') || undefined}
          title={term.why}
        >
          <code>{term.text}</code>
          <small>
            {term.routes.map((route) => xray.route.indexes[route]).join(', ')}
            {term.matched === null || term.routes.includes('ignored')
              ? ''
              : ` · ${count(term.matched)}`}
          </small>
        </li>
      ))}
    </ul>
  );
}
