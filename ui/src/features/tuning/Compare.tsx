/** Two presets on the current query: what is promoted, demoted, new and dropped. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Select } from '../../components/fields';
import { Failed } from '../../components/State';
import { backend } from '../../ipc/backend';
import type { Constants, PresetView, QueryView } from '../../ipc/bindings';
import { title } from '../../locales/en/format';
import { xray } from '../../locales/en/xray';
import { navigate } from '../../shell/route';
import { useXray, xrayStore } from '../xray/store';
import { type Change, compare, tally } from './compare';
import css from './TuningSection.module.css';

const t = xray.tuning;
const GLYPH: Record<Change, string> = {
  promoted: '↑',
  demoted: '↓',
  fresh: '+',
  dropped: '−',
  kept: '=',
};

/** The same candidates under some constants, everything read by the reranker. */
export function useRanked(recall: string, constants: Constants | undefined) {
  return useQuery<QueryView>({
    queryKey: ['memories', 'compare', recall, constants],
    queryFn: () =>
      backend().retune({
        recall,
        constants: constants as Constants,
        now: null,
        score_unseen: true,
      }),
    enabled: constants !== undefined,
    // While a slider moves the last answer stays.
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 60_000,
  });
}

export function Compare(props: {
  presets: readonly PresetView[];
  recall: string;
  inForce: string;
}) {
  const { presets, recall, inForce } = props;
  const other = presets.find((one) => one.name !== inForce)?.name ?? inForce;
  const [left, setLeft] = useState(inForce);
  const [right, setRight] = useState(other);
  const a = useRanked(recall, presets.find((one) => one.name === left)?.constants);
  const b = useRanked(recall, presets.find((one) => one.name === right)?.constants);
  const choices = presets.map((one) => ({ id: one.name, label: one.name }));
  const error = a.error ?? b.error;
  return (
    <>
      <div className={css.pair}>
        <Select label={t.left} value={left} choices={choices} onChange={setLeft} />
        <Select label={t.right} value={right} choices={choices} onChange={setRight} />
      </div>
      {error ? (
        <Failed
          error={error}
          onRetry={() => {
            void a.refetch();
            void b.refetch();
          }}
        />
      ) : null}
      {a.data && b.data ? (
        <Rows views={[a.data, b.data]} same={t.same} summary={t.summary} />
      ) : error ? null : (
        <p>{t.ranking}</p>
      )}
    </>
  );
}

/** Two answers to one query, place by place. */
export function Rows(props: {
  views: readonly [QueryView, QueryView];
  same: string;
  summary: typeof t.summary;
  /** What the two are called above their places. */
  heads?: readonly [string, string];
}) {
  const { views } = props;
  const rows = compare(views[0].trace.results, views[1].trace.results);
  const [left, right] = props.heads ?? [t.left, t.right];
  const { cards } = useXray('cards');
  const sums = tally(rows);
  if (rows.every((row) => row.change === 'kept')) return <p>{props.same}</p>;
  const nameOf = (id: string) =>
    title((cards[id] ?? views.map((view) => view.cards[id]).find(Boolean))?.snippet ?? id);
  return (
    <>
      <p className={css.summary}>
        {props.summary(sums.promoted, sums.demoted, sums.fresh, sums.dropped)}
      </p>
      <table className={css.changes}>
        <caption className="visually-hidden">{t.compare}</caption>
        <thead>
          <tr>
            <th scope="col">{left}</th>
            <th scope="col">{right}</th>
            <th scope="col">{t.change}</th>
            <th scope="col">{xray.stages.memory}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id} data-change={row.change}>
              <td>{row.a ?? '–'}</td>
              <td>{row.b ?? '–'}</td>
              <td className={css.change}>
                <span aria-hidden="true">{GLYPH[row.change]}</span> {t[row.change]}
              </td>
              <th scope="row">
                <button
                  type="button"
                  onClick={() => {
                    xrayStore().openMemory(row.id);
                    navigate('xray');
                  }}
                >
                  {nameOf(row.id)}
                </button>
              </th>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
