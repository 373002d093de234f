/** What would reach the agent: the exact block, what each part of it costs, where it ends. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../components/Button';
import { copy } from '../../components/CopyNumber';
import { toast } from '../../components/Toast';
import { backend } from '../../ipc/backend';
import type { BlockForm, ContextView, MemoryCard } from '../../ipc/bindings';
import { keys } from '../../ipc/keys';
import { count, title } from '../../locales/en/format';
import { xray } from '../../locales/en/xray';
import { PLACES } from '../../shell/book';
import { HelpMark } from '../../shell/HelpMark';
import { pointing, useIsHot } from '../../trace/hover';
import css from './ContextPanel.module.css';
import { Segmented } from './Segmented';
import { useXray, xrayStore } from './store';

const t = xray.context;
type ContextEntry = ContextView['entries'][number];

/** What is saved against putting every candidate into the window: "87 %"; null when nothing is. */
export function saved(context: Pick<ContextView, 'tokens' | 'naive_tokens'>): string | null {
  const { tokens, naive_tokens: naive } = context;
  if (naive <= 0 || tokens >= naive) return null;
  return `${Math.round(100 * (1 - tokens / naive))} %`;
}

/** The block in the other form, asked for when a person wants to see it. */
function useForm(form: BlockForm): ContextView | null {
  const { view, now } = useXray('view', 'now');
  const request = view && {
    recall: view.recall,
    constants: view.trace.constants,
    now,
    format: form,
  };
  const asked = useQuery({
    queryKey: keys.context(view?.recall ?? '', request),
    queryFn: () => (request ? backend().context(request) : null),
    enabled: request !== null && form !== 'context',
    placeholderData: keepPreviousData,
  });
  if (!view) return null;
  return form === 'context' ? view.context : (asked.data ?? null);
}

export function ContextPanel() {
  const { view, cards } = useXray('view', 'cards');
  const [form, setForm] = useState<BlockForm>('context');
  const context = useForm(form) ?? view?.context;
  if (!view || !context) return null;
  if (context.entries.length === 0) return <p className={css.note}>{t.empty}</p>;
  const share = saved(context);
  const ours = context.entries.filter((entry) => entry.lane === 'memory');
  const lastIn = ours.findLast((entry) => entry.included);
  const somethingLeft = ours.some((entry) => !entry.included);
  return (
    <div className={css.panel} data-help={PLACES.block}>
      <h2>
        {t.used(context.tokens, context.budget)} <HelpMark place={PLACES.block} about={t.costs} />
      </h2>
      <p className={css.naive}>
        {share === null ? t.naiveNone(context.naive_tokens) : t.naive(context.naive_tokens, share)}
      </p>
      <div className={css.budget} role="img" aria-label={t.bar}>
        {context.entries
          .filter((entry) => entry.included)
          .map((entry) => (
            <Share key={`${entry.lane} ${entry.id}`} entry={entry} budget={context.budget} />
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
          {context.entries.map((entry) =>
            entry.lane === 'memory' ? (
              <Entry
                key={entry.id}
                entry={entry}
                card={cards[entry.id]}
                cut={somethingLeft && entry === lastIn}
              />
            ) : (
              <tr
                key={`${entry.lane} ${entry.id}`}
                data-out={entry.included ? undefined : ''}
                data-lane={entry.lane}
              >
                <th scope="row">
                  {t.lanes[entry.lane](entry.id)}
                  {entry.included ? null : <small>{entry.reason ?? t.left}</small>}
                </th>
                <td>{count(entry.tokens)}</td>
              </tr>
            ),
          )}
        </tbody>
      </table>
      <div className={css.blockHead}>
        <h3>{t.block}</h3>
        <Segmented label={t.form} value={form} choices={t.forms} onChange={setForm} />
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
  return (
    <span
      data-hot={hot || undefined}
      data-lane={entry.lane}
      style={{ width: widthOf(entry.tokens, budget) }}
    />
  );
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
