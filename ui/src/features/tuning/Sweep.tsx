/** One constant through its range, measured on the golden queries. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { SweepPlot } from '../../charts/sweep/SweepPlot';
import { Button } from '../../components/Button';
import { sentenceOf } from '../../components/failure';
import { Select } from '../../components/fields';
import { toast } from '../../components/Toast';
import { backend } from '../../ipc/backend';
import type { Constants, SweepView } from '../../ipc/bindings';
import { useGoldenQueries } from '../../ipc/golden';
import { named, xray } from '../../locales/en/xray';
import { SPECS, shown, specOf } from '../../words/constants';
import { Segmented } from '../xray/Segmented';
import { useXray, xrayStore } from '../xray/store';
import { Finding } from './Golden';
import { HeldOut } from './Halves';
import css from './Lab.module.css';
import tables from './TuningSection.module.css';

const t = xray.sweep;

export function Sweep({ preset }: { preset: Constants }) {
  const { constants, now } = useXray('constants', 'now');
  const golden = useGoldenQueries();
  const [constant, setConstant] = useState('rrf_k');
  const sweep = useMutation({
    mutationFn: (name: string) =>
      backend().sweep({ constant: name, constants: constants ?? preset, now }),
  });
  if (golden.data?.length === 0) return <p>{t.judgedFirst}</p>;
  const choices = SPECS.map((spec) => ({
    id: spec.name as string,
    label: named(xray.sliders.names, spec.name),
  }));
  return (
    <>
      <div className={css.controls}>
        <Select label={t.constant} value={constant} choices={choices} onChange={setConstant} />
        <Button isPending={sweep.isPending} onPress={() => sweep.mutate(constant)}>
          {t.run}
        </Button>
      </div>
      <p>{t.basis}</p>
      {sweep.isPending ? <p role="status">{t.running}</p> : null}
      {sweep.error ? <p>{sentenceOf(sweep.error)}</p> : null}
      {sweep.data && !sweep.isPending ? <Outcome view={sweep.data} /> : null}
    </>
  );
}

const ndcgOf = (view: SweepView) => view.points.map((point) => point.scores.ndcg_10);

/** Whether no value differs from any other by what three digits show. */
const isFlat = (view: SweepView) => Math.max(...ndcgOf(view)) - Math.min(...ndcgOf(view)) < 0.0005;

/** The sentence that states what the sweep found. */
export function findingOf(view: SweepView): string {
  const name = named(xray.sliders.names, view.constant);
  const top = Math.max(...ndcgOf(view));
  if (isFlat(view)) return t.flat(name);
  const now = shown(view.constant, view.current);
  const present = view.points.find((point) => point.value === view.current)?.scores.ndcg_10 ?? 0;
  if (view.best === view.current) return t.present(name, now, top.toFixed(2));
  return t.best(
    name,
    shown(view.constant, view.best),
    top.toFixed(2),
    `${now} gives ${present.toFixed(2)}`,
  );
}

function Outcome({ view }: { view: SweepView }) {
  const [as, setAs] = useState<'plot' | 'table'>('plot');
  const spec = specOf(view.constant);
  const name = named(xray.sliders.names, view.constant);
  const value = (number: number) => shown(view.constant, number);
  const finding = findingOf(view);
  const isBetter = view.best !== view.current && !isFlat(view);
  if (view.queries === 0) return <p>{xray.golden.noRelevant}</p>;
  return (
    <>
      <h3 className={css.title}>{finding}</h3>
      {isBetter ? (
        <>
          <div className={css.halves}>
            <div className={css.half}>
              <h4>{xray.halves.chosenOn(view.choosing)}</h4>
              <Finding
                difference={view.difference}
                a={value(view.current)}
                b={value(view.best)}
                queries={view.choosing}
              />
            </div>
            <HeldOut
              view={view.held_out}
              needed={view.needed}
              present={value(view.current)}
              chosen={value(view.best)}
            />
          </div>
          <p>{xray.halves.explain}</p>
        </>
      ) : null}
      <div className={css.controls}>
        {isBetter ? (
          <Button
            onPress={() => {
              xrayStore().tune({ [view.constant]: view.best });
              toast(t.used(name, value(view.best)));
            }}
          >
            {t.use(value(view.best))}
          </Button>
        ) : null}
        <Segmented
          label={t.view}
          value={as}
          choices={[
            ['plot', t.plot],
            ['table', t.table],
          ]}
          onChange={setAs}
        />
      </div>
      {as === 'plot' ? (
        <SweepPlot
          title={finding}
          points={view.points.map(({ value, scores, low, high }) => ({
            value,
            mean: scores.ndcg_10,
            low,
            high,
          }))}
          scale={spec?.scale ?? 'linear'}
          current={view.current}
          best={view.best}
          xLabel={spec?.unit ? `${name} (${spec.unit.trim()})` : name}
          yLabel={t.axis}
          nowLabel={t.now}
          format={(number) => String(Number(number.toPrecision(3)))}
        />
      ) : (
        <Twin view={view} caption={finding} />
      )}
      {view.unread > 0 ? <p>{xray.golden.unread(view.unread)}</p> : null}
      <Ablations view={view} />
    </>
  );
}

const COLUMNS = ['success_5', 'mrr_10', 'ndcg_10', 'recall_10'] as const;

function Twin({ view, caption }: { view: SweepView; caption: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard.
    <section className={tables.scroll} tabIndex={0} aria-label={caption}>
      <table className={tables.table}>
        <thead>
          <tr>
            <th scope="col">{t.value}</th>
            {COLUMNS.map((name) => (
              <th scope="col" key={name}>
                {xray.metrics[name]}
              </th>
            ))}
            <th scope="col">{t.interval}</th>
          </tr>
        </thead>
        <tbody>
          {view.points.map((point) => (
            <tr key={point.value}>
              <th scope="row">
                {shown(view.constant, point.value)}
                {point.value === view.current ? <small>{t.now}</small> : null}
              </th>
              {COLUMNS.map((name) => (
                <td key={name}>{point.scores[name].toFixed(3)}</td>
              ))}
              <td>
                {point.low.toFixed(2)}–{point.high.toFixed(2)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Ablations({ view }: { view: SweepView }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard.
    <section className={tables.scroll} tabIndex={0} aria-label={t.ablations}>
      <table className={tables.table}>
        <thead>
          <tr>
            <th scope="col">{t.ablations}</th>
            {COLUMNS.map((name) => (
              <th scope="col" key={name}>
                {xray.metrics[name]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {view.ablations.map((one) => (
            <tr key={one.name}>
              <th scope="row">{named(t.parts, one.name)}</th>
              {COLUMNS.map((name) => (
                <td key={name}>{one.scores[name].toFixed(3)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
