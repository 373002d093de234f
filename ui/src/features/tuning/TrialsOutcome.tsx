/** What a sweep over several constants found: lines, quality against cost, query by query, table. */
import { useMemo, useState } from 'react';
import type { Axis, Brushes } from '../../charts/parallel-coordinates/layout';
import { passes } from '../../charts/parallel-coordinates/layout';
import {
  type Drawn,
  ParallelCoordinates,
} from '../../charts/parallel-coordinates/ParallelCoordinates';
import { QueryStrip } from '../../charts/query-strip/QueryStrip';
import { Scatter } from '../../charts/scatter/Scatter';
import { Button } from '../../components/Button';
import { toast } from '../../components/Toast';
import type { TrialView } from '../../ipc/bindings';
import { named, xray } from '../../locales/en/xray';
import { specOf } from '../../words/constants';
import { xrayStore } from '../xray/store';
import { HeldOutOf } from './Halves';
import css from './Lab.module.css';
import many from './SweepMany.module.css';
import { TrialsTable } from './TrialsTable';
import { bargain, bestOf, changes, constantName, nameOf, type Trials } from './trials';

const t = xray.sweepMany;

/** The sentence that states what was found so far. */
export function findingOf({ trials, plan }: Trials): string {
  const best = bestOf(trials);
  const present = trials.find((trial) => trial.name === 'present');
  if (!best || !present) return '';
  const score = best.scores.ndcg_10.toFixed(3);
  if (best.name === 'present') return t.presentBest(trials.length, score);
  if (best.name !== null) return t.ablationBest(named(t.names, best.name), trials.length, score);
  return t.best(nameOf(best, plan.axes), trials.length, score, present.scores.ndcg_10.toFixed(3));
}

/** The sentence that states what cheaper combinations are worth. */
export function costOf({ trials, plan }: Trials): string {
  const best = bestOf(trials);
  if (!best) return '';
  const cheap = bargain(trials, best);
  const score = (trial: TrialView) => trial.scores.ndcg_10.toFixed(3);
  const ms = (trial: TrialView) => trial.ms.toFixed(1);
  if (!cheap) return t.cheapest(score(best), ms(best));
  return t.cheap(nameOf(cheap, plan.axes), ms(cheap), score(cheap), score(best), ms(best));
}

export function TrialsOutcome({ held, running }: { held: Trials; running: boolean }) {
  const { trials, plan } = held;
  const [chosen, setChosen] = useState<number | null>(null);
  const width = plan.axes.length + 2;
  const [brushes, setBrushes] = useState<Brushes>([]);
  // A sweep over other constants has other axes.
  const brushed = brushes.length === width ? brushes : new Array(width).fill(null);
  const best = bestOf(trials);
  const selected = trials.find((trial) => trial.number === chosen) ?? best;
  const { axes, lines } = useMemo(() => drawn(held), [held]);
  if (held.queries.length === 0) return <p>{xray.golden.noRelevant}</p>;
  if (!best || !selected) return null;
  const through = new Set(lines.filter((line) => passes(line, brushed)).map((line) => line.id));
  const finding = findingOf(held);
  return (
    <>
      <h3 className={css.title}>{finding}</h3>
      <ParallelCoordinates
        title={`${t.lines}. ${finding}`}
        axes={axes}
        lines={lines}
        brushes={brushed}
        selected={selected.number}
        onBrush={setBrushes}
        onSelect={setChosen}
        fromLabel={t.from}
        toLabel={t.to}
      />
      <p className={many.note}>
        {t.brush} {t.passing(through.size, trials.length)}
        {through.size < trials.length ? (
          <Button variant="quiet" onPress={() => setBrushes([])}>
            {t.clear}
          </Button>
        ) : null}
      </p>
      <Selected held={held} trial={selected} running={running} />
      <TrialsTable held={held} through={through} selected={selected.number} onSelect={setChosen} />
      <h3 className={css.title}>{costOf(held)}</h3>
      <Scatter
        title={costOf(held)}
        help={t.walk}
        xLabel={t.ms}
        yLabel={xray.sweep.axis}
        selected={selected.number}
        onSelect={setChosen}
        points={trials.map((trial) => ({
          id: trial.number,
          x: trial.ms,
          y: trial.scores.ndcg_10,
          name: `${nameOf(trial, plan.axes)}: ${trial.scores.ndcg_10.toFixed(3)}, ${trial.ms.toFixed(1)} ms`,
          kind: trial.name === null ? 'trial' : trial.name === 'present' ? 'present' : 'ablation',
          out: !through.has(trial.number),
        }))}
      />
      <p className={many.note}>
        <span aria-hidden="true">{t.shapes}</span>
        {t.timed}
      </p>
      {held.unread > 0 ? <p>{xray.golden.unread(held.unread)}</p> : null}
    </>
  );
}

/** The combination that is looked at: what it does query by query, and on the held-out half. */
function Selected({ held, trial, running }: { held: Trials; trial: TrialView; running: boolean }) {
  const present = held.trials[0];
  if (!present) return null;
  const name = nameOf(trial, held.plan.axes);
  const moved = changes(trial, present, held.queries);
  const up = moved.filter((one) => one.change > 5e-4).length;
  const down = moved.filter((one) => one.change < -5e-4).length;
  const sentence = t.strip(up, down, moved.length - up - down);
  return (
    <section className={many.selected} aria-label={name}>
      <h3 className={css.title}>
        {name}{' '}
        <small>
          {trial.scores.ndcg_10.toFixed(3)} ({trial.low.toFixed(2)}–{trial.high.toFixed(2)})
        </small>
      </h3>
      {trial.name === 'present' ? (
        <p>{t.isPresent}</p>
      ) : (
        <>
          <p>{sentence}</p>
          <QueryStrip title={sentence} changes={moved} upLabel={t.gains} downLabel={t.loses} />
          <details className={many.each}>
            <summary>{t.each}</summary>
            <table>
              <thead>
                <tr>
                  <th scope="col">{t.query}</th>
                  <th scope="col">{t.change}</th>
                </tr>
              </thead>
              <tbody>
                {moved.map((one) => (
                  <tr key={one.id}>
                    <th scope="row">{one.text}</th>
                    <td>
                      {one.change > 0 ? '+' : ''}
                      {one.change.toFixed(3)}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </details>
          {running ? null : (
            <HeldOutOf
              present={held.plan.constants}
              chosen={trial.constants}
              now={held.plan.now}
              needed={held.needed}
            />
          )}
          <p>{xray.halves.explain}</p>
          <Button
            onPress={() => {
              xrayStore().tune(trial.constants);
              toast(t.used);
            }}
          >
            {t.use}
          </Button>
        </>
      )}
    </section>
  );
}

/** The axes of the constants, of time and of the score, and a line per trial. */
function drawn({ trials, plan }: Trials): { axes: Axis[]; lines: Drawn[] } {
  const axes: Axis[] = plan.axes.map((constant) => {
    const spec = specOf(constant);
    const unit = spec?.unit.trim();
    return {
      label: unit ? `${constantName(constant)} (${unit})` : constantName(constant),
      scale: spec?.scale ?? 'linear',
      format: (value) => String(Number(value.toPrecision(3))),
    };
  });
  axes.push(
    { label: t.ms, scale: 'linear', format: (value) => String(Number(value.toPrecision(3))) },
    { label: t.score, scale: 'linear', format: (value) => value.toFixed(3) },
  );
  const scores = trials.map((trial) => trial.scores.ndcg_10);
  const [least, most] = [Math.min(...scores), Math.max(...scores)];
  const lines = trials.map((trial) => ({
    id: trial.number,
    values: [...trial.values, trial.ms, trial.scores.ndcg_10],
    strength: most > least ? (trial.scores.ndcg_10 - least) / (most - least) : 1,
    ablation: trial.name !== null && trial.name !== 'present',
  }));
  return { axes, lines };
}
