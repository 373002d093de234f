/** Two constants against each other on the golden queries: they are not always independent. */
import { useState } from 'react';
import { Heatmap } from '../../charts/heatmap/Heatmap';
import { Button } from '../../components/Button';
import { sentenceOf } from '../../components/failure';
import { Select } from '../../components/fields';
import { Progress } from '../../components/Progress';
import { toast } from '../../components/Toast';
import { backend } from '../../ipc/backend';
import type { Constants } from '../../ipc/bindings';
import { useGoldenQueries } from '../../ipc/golden';
import { named, xray } from '../../locales/en/xray';
import { type Numeric, SPECS, shown } from '../../words/constants';
import { useXray, xrayStore } from '../xray/store';
import { begin, done, type Grid, measureRow, peak, presentAt } from './grid';
import { HeldOutOf } from './Halves';
import css from './Lab.module.css';
import { usePieces } from './pieces';

const t = xray.sweepTwo;

const nameOf = (constant: Numeric) => named(xray.sliders.names, constant);

export function SweepTwo({ preset }: { preset: Constants }) {
  const { constants, now } = useXray('constants', 'now');
  const golden = useGoldenQueries();
  const [x, setX] = useState<Numeric>('rrf_k');
  const [y, setY] = useState<Numeric>('decay_floor');
  const run = usePieces<Grid>((held) => measureRow(backend(), held));
  if (golden.data?.length === 0) return <p>{t.judgedFirst}</p>;
  const choices = SPECS.map((spec) => ({ id: spec.name as string, label: nameOf(spec.name) }));
  const { held: grid, running } = run;
  const left = grid ? grid.ys.length - done(grid) : 0;
  return (
    <>
      <div className={css.controls}>
        <Select
          label={t.across}
          value={x}
          choices={choices}
          onChange={(id) => setX(id as Numeric)}
        />
        <Select label={t.down} value={y} choices={choices} onChange={(id) => setY(id as Numeric)} />
        <Button
          isDisabled={x === y || running}
          onPress={() => run.start(() => begin(backend(), x, y, constants ?? preset, now))}
        >
          {t.run}
        </Button>
        {running ? <Button onPress={run.stop}>{t.stop}</Button> : null}
        {!running && left > 0 ? <Button onPress={run.resume}>{t.resume(left)}</Button> : null}
      </div>
      {x === y ? <p>{t.different}</p> : null}
      {running ? (
        <Progress
          label={t.progress}
          value={grid ? done(grid) : 0}
          total={grid ? grid.ys.length : null}
        />
      ) : null}
      {run.error ? <p role="status">{sentenceOf(run.error)}</p> : null}
      {grid ? <Outcome grid={grid} running={running} /> : null}
    </>
  );
}

function Outcome({ grid, running }: { grid: Grid; running: boolean }) {
  const best = peak(grid);
  const present = presentAt(grid);
  if (grid.queries === 0) return <p>{xray.golden.noRelevant}</p>;
  if (!best) return null;
  const [bx, by] = [grid.xs[best.at[0]] ?? 0, grid.ys[best.at[1]] ?? 0];
  const use = (xValue: number, yValue: number) => {
    xrayStore().tune({ [grid.x]: xValue, [grid.y]: yValue });
    toast(t.used(pair(grid, xValue, yValue)));
  };
  return (
    <>
      <h3 className={css.title}>{findingOf(grid)}</h3>
      <Heatmap
        title={findingOf(grid)}
        xLabel={nameOf(grid.x)}
        yLabel={nameOf(grid.y)}
        x={grid.xs}
        y={grid.ys}
        cells={grid.ys.map((_, row) => grid.rows[row] ?? grid.xs.map(() => null))}
        formatX={(value) => shown(grid.x, value)}
        formatY={(value) => shown(grid.y, value)}
        present={present}
        best={best.at}
        presentLabel={t.present}
        bestLabel={t.bestLabel}
        nameOf={(xValue, yValue, value) =>
          `${pair(grid, xValue, yValue)}: ${value === null ? t.unmeasured : value.toFixed(2)}`
        }
        onChoose={use}
      />
      <p>{t.luck(done(grid) * grid.xs.length)}</p>
      {running || (present && present[0] === best.at[0] && present[1] === best.at[1]) ? null : (
        <HeldOutOf
          present={grid.constants}
          chosen={{ ...grid.constants, [grid.x]: bx, [grid.y]: by }}
          now={grid.now}
          needed={grid.needed}
        />
      )}
      <div>
        <Button onPress={() => use(bx, by)}>{t.use(pair(grid, bx, by))}</Button>
      </div>
    </>
  );
}

function pair(grid: Grid, xValue: number, yValue: number): string {
  return t.pair(
    `${nameOf(grid.x)} ${shown(grid.x, xValue)}`,
    `${nameOf(grid.y)} ${shown(grid.y, yValue)}`,
  );
}

/** The sentence that states what the grid found so far. */
export function findingOf(grid: Grid): string {
  const best = peak(grid);
  if (!best) return t.nothing;
  const present = presentAt(grid);
  const own = present ? grid.rows[present[1]]?.[present[0]] : undefined;
  const score = best.value.toFixed(3);
  if (own !== undefined && best.value - own < 0.0005) return t.already(score);
  const where = pair(grid, grid.xs[best.at[0]] ?? 0, grid.ys[best.at[1]] ?? 0);
  return t.best(where, score, own === undefined ? null : own.toFixed(3));
}
