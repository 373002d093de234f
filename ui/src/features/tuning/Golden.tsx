/** The golden queries under two presets: each query's change, and what may be said of the whole. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../components/Button';
import { failed } from '../../components/failure';
import { Select } from '../../components/fields';
import { Failed, Waiting } from '../../components/State';
import { toast } from '../../components/Toast';
import { backend } from '../../ipc/backend';
import type {
  ComparisonView,
  DifferenceView,
  PresetView,
  QueryMeasureView,
} from '../../ipc/bindings';
import { useDeleteGoldenQuery, useGoldenQueries } from '../../ipc/golden';
import { keys } from '../../ipc/keys';
import { xray } from '../../locales/en/xray';
import { navigate } from '../../shell/route';
import { useXray } from '../xray/store';
import { AskAgain } from './AskAgain';
import css from './Lab.module.css';
import tables from './TuningSection.module.css';

const t = xray.golden;

export function Golden({ presets, inForce }: { presets: readonly PresetView[]; inForce: string }) {
  const golden = useGoldenQueries();
  if (golden.error) return <Failed error={golden.error} onRetry={() => void golden.refetch()} />;
  if (!golden.data) return <Waiting />;
  if (golden.data.length === 0) {
    return (
      <>
        <p>{t.none}</p>
        <Button onPress={() => navigate('xray')}>{xray.tuning.goAsk}</Button>
      </>
    );
  }
  return <Under presets={presets} inForce={inForce} />;
}

function Under({ presets, inForce }: { presets: readonly PresetView[]; inForce: string }) {
  const other = presets.find((one) => one.name !== inForce)?.name ?? inForce;
  const [left, setLeft] = useState(inForce);
  const [right, setRight] = useState(other);
  const { now } = useXray('now');
  const constantsOf = (name: string) => presets.find((one) => one.name === name)?.constants;
  const [a, b] = [constantsOf(left), constantsOf(right)];
  const asked = useQuery<ComparisonView>({
    queryKey: keys.compare(a, b, now),
    queryFn: () =>
      backend().compare({
        a: a as PresetView['constants'],
        b: b as PresetView['constants'],
        now,
      }),
    enabled: a !== undefined && b !== undefined,
    placeholderData: (held) => held,
    retry: false,
  });
  const choices = presets.map((one) => ({ id: one.name, label: one.name }));
  return (
    <>
      <div className={tables.pair}>
        <Select label={xray.tuning.left} value={left} choices={choices} onChange={setLeft} />
        <Select label={xray.tuning.right} value={right} choices={choices} onChange={setRight} />
      </div>
      {asked.error ? (
        <Failed error={asked.error} onRetry={() => void asked.refetch()} />
      ) : asked.data ? (
        <Outcome view={asked.data} a={left} b={right} />
      ) : (
        <p>{t.measuring}</p>
      )}
    </>
  );
}

function Outcome({ view, a, b }: { view: ComparisonView; a: string; b: string }) {
  const { measure, difference } = view;
  const { upper, judged_10 } = measure.current;
  if (measure.queries.length === 0) return <p>{t.noRelevant}</p>;
  return (
    <>
      <Finding difference={difference} a={a} b={b} queries={measure.queries.length} />
      <p>
        {t.bounds(
          `${Math.round(judged_10 * 100)} %`,
          upper.success_5.toFixed(2),
          upper.mrr_10.toFixed(2),
        )}
        {measure.unread > 0 ? ` ${t.unread(measure.unread)}` : ''}
      </p>
      <Table view={view} />
    </>
  );
}

const signed = (value: number) =>
  `${value > 0 ? '+' : value < 0 ? '−' : ''}${Math.abs(value).toFixed(3)}`;

/** What may be said of a difference, and the numbers behind it. */
export function Finding(props: {
  difference: DifferenceView;
  a: string;
  b: string;
  queries: number;
}) {
  const { difference, a, b } = props;
  const words =
    difference.verdict === 'cannot_tell'
      ? t.verdict.cannot_tell(difference.more ?? 1)
      : t.verdict[difference.verdict](a, b);
  return (
    <p className={css.finding} data-verdict={difference.verdict}>
      <strong>{words}</strong>
      <small>
        {t.evidence(
          signed(difference.mean),
          signed(difference.low),
          signed(difference.high),
          difference.p < 0.001 ? '< 0.001' : difference.p.toFixed(3),
          props.queries,
        )}
      </small>
    </p>
  );
}

const change = (one: QueryMeasureView) => one.current.lower.ndcg_10 - one.baseline.lower.ndcg_10;

function Table({ view }: { view: ComparisonView }) {
  const { measure } = view;
  const remove = useDeleteGoldenQuery(failed);
  const rows = [...measure.queries].sort((one, other) => change(one) - change(other));
  const means = [measure.baseline.lower, measure.current.lower] as const;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard.
    <section className={tables.scroll} tabIndex={0} aria-label={t.table}>
      <table className={`${tables.table} ${css.golden}`}>
        <thead>
          <tr>
            <th scope="col">{t.query}</th>
            <th scope="col">{t.judged}</th>
            <th scope="col">{t.rank('A')}</th>
            <th scope="col">{t.rank('B')}</th>
            <th scope="col">{t.ndcg('A')}</th>
            <th scope="col">{t.ndcg('B')}</th>
            <th scope="col">{t.change}</th>
            <th scope="col">
              <span className="visually-hidden">{t.remove}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((one) => (
            <tr key={one.id}>
              <th scope="row">
                <AskAgain text={one.text} label={t.open(one.text)} />
              </th>
              <td>{one.judged}</td>
              <td>{one.baseline_rank ?? t.missing}</td>
              <td>{one.current_rank ?? t.missing}</td>
              <td>{one.baseline.lower.ndcg_10.toFixed(2)}</td>
              <td>{one.current.lower.ndcg_10.toFixed(2)}</td>
              <td>
                <Bar value={change(one)} />
              </td>
              <td className={tables.buttons}>
                <Button
                  variant="quiet"
                  aria-label={t.removeNamed(one.text)}
                  onPress={() => remove.mutate(one.id, { onSuccess: () => toast(t.removed) })}
                >
                  {t.remove}
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          {(['success_5', 'mrr_10', 'ndcg_10', 'recall_10'] as const).map((name) => (
            <tr key={name}>
              <th scope="row" colSpan={4}>
                {xray.metrics[name]} <small>{t.mean(measure.queries.length)}</small>
              </th>
              <td>{means[0][name].toFixed(2)}</td>
              <td>{means[1][name].toFixed(2)}</td>
              <td>
                <Bar value={means[1][name] - means[0][name]} />
              </td>
              <td />
            </tr>
          ))}
        </tfoot>
      </table>
    </section>
  );
}

/** A change as a bar from the middle: right is better; the number says the same. */
function Bar({ value }: { value: number }) {
  const share = Math.min(1, Math.abs(value)) * 50;
  const none = Math.abs(value) < 0.0005;
  return (
    <span className={css.change}>
      <span className={css.strip} aria-hidden="true">
        <span
          data-sign={value > 0 ? 'up' : 'down'}
          style={
            none
              ? { width: 0 }
              : { left: value > 0 ? '50%' : `${50 - share}%`, width: `max(2px, ${share}%)` }
          }
        />
      </span>
      {none ? '0' : signed(value)}
    </span>
  );
}
