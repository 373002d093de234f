/** What would reach the agent: the exact block, what each memory costs, where the budget ends. */
import { Button } from '../../components/Button';
import { copy } from '../../components/CopyNumber';
import { toast } from '../../components/Toast';
import type { ContextView, MemoryCard } from '../../ipc/bindings';
import { count, title } from '../../locales/en/format';
import { xray } from '../../locales/en/xray';
import { pointing, useIsHot } from '../../trace/hover';
import css from './ContextPanel.module.css';
import { useXray, xrayStore } from './store';

const t = xray.context;
type ContextEntry = ContextView['entries'][number];

/** What is saved against putting every candidate into the window: "87 %"; null when nothing is. */
export function saved(context: Pick<ContextView, 'tokens' | 'naive_tokens'>): string | null {
  const { tokens, naive_tokens: naive } = context;
  if (naive <= 0 || tokens >= naive) return null;
  return `${Math.round(100 * (1 - tokens / naive))} %`;
}

export function ContextPanel() {
  const { view, cards } = useXray('view', 'cards');
  if (!view) return null;
  const { context } = view;
  if (context.entries.length === 0) return <p className={css.note}>{t.empty}</p>;
  const share = saved(context);
  const lastIn = context.entries.findLastIndex((entry) => entry.included);
  const overBudget = context.entries.some((entry) => !entry.included);
  return (
    <div className={css.panel}>
      <h2>{t.used(context.tokens, context.budget)}</h2>
      <p className={css.naive}>
        {share === null ? t.naiveNone(context.naive_tokens) : t.naive(context.naive_tokens, share)}
      </p>
      <div className={css.budget} role="img" aria-label={t.bar}>
        {context.research_tokens > 0 ? (
          <span data-research style={{ width: widthOf(context.research_tokens, context.budget) }} />
        ) : null}
        {context.entries
          .filter((entry) => entry.included)
          .map((entry) => (
            <Share key={entry.id} entry={entry} budget={context.budget} />
          ))}
      </div>
      <table className={css.table}>
        <caption className="visually-hidden">{t.costs}</caption>
        <thead className="visually-hidden">
          <tr>
            <th scope="col">{t.memory}</th>
            <th scope="col">{t.tokens}</th>
          </tr>
        </thead>
        <tbody>
          {context.research_tokens > 0 ? (
            <tr>
              <th scope="row">
                {t.research}
                <small>{t.researchHint}</small>
              </th>
              <td>{count(context.research_tokens)}</td>
            </tr>
          ) : null}
          {context.entries.map((entry, index) => (
            <Entry
              key={entry.id}
              entry={entry}
              card={cards[entry.id]}
              cut={overBudget && index === lastIn}
            />
          ))}
        </tbody>
      </table>
      <div className={css.blockHead}>
        <h3>{t.block}</h3>
        <Button
          variant="quiet"
          onPress={() => void copy(context.block).then((done) => done && toast(xray.stages.copied))}
        >
          {t.copy}
        </Button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard. */}
      <section className={css.block} tabIndex={0} aria-label={t.block}>
        <pre>{context.block}</pre>
      </section>
    </div>
  );
}

function Share({ entry, budget }: { entry: ContextEntry; budget: number }) {
  const hot = useIsHot(entry.id);
  return <span data-hot={hot || undefined} style={{ width: widthOf(entry.tokens, budget) }} />;
}

function widthOf(tokens: number, budget: number): string {
  return `${Math.min(100, (100 * tokens) / Math.max(budget, 1))}%`;
}

function Entry({
  entry,
  card,
  cut,
}: {
  entry: ContextEntry;
  card: MemoryCard | undefined;
  cut: boolean;
}) {
  const hot = useIsHot(entry.id);
  const { onMouseEnter, onMouseLeave, onFocus, onBlur } = pointing(entry.id);
  return (
    <>
      <tr
        data-hot={hot || undefined}
        data-out={entry.included ? undefined : ''}
        onMouseEnter={onMouseEnter}
        onMouseLeave={onMouseLeave}
      >
        <th scope="row">
          <button
            type="button"
            onFocus={onFocus}
            onBlur={onBlur}
            onClick={() => xrayStore().openMemory(entry.id)}
          >
            {title(card?.snippet ?? entry.id)}
          </button>
          {entry.included ? null : <small>{entry.reason ?? t.left}</small>}
        </th>
        <td>{count(entry.tokens)}</td>
      </tr>
      {cut ? (
        <tr className={css.cut}>
          <td colSpan={2}>{t.cutLine}</td>
        </tr>
      ) : null}
    </>
  );
}
