/** Several constants at once on the golden queries: which combination is best, and at what cost. */
import { useState } from 'react';
import { Button } from '../../components/Button';
import { ChipButton } from '../../components/Chip';
import { sentenceOf } from '../../components/failure';
import { Select } from '../../components/fields';
import { Progress } from '../../components/Progress';
import { backend } from '../../ipc/backend';
import type { Constants, TrialMethod } from '../../ipc/bindings';
import { useGoldenQueries } from '../../ipc/golden';
import { named, xray } from '../../locales/en/xray';
import { type Numeric, SPECS } from '../../words/constants';
import { useXray } from '../xray/store';
import css from './Lab.module.css';
import { usePieces } from './pieces';
import many from './SweepMany.module.css';
import { TrialsOutcome } from './TrialsOutcome';
import { measurePiece, type Trials } from './trials';

const t = xray.sweepMany;

const MOST = 6;
const COUNTS = [30, 60, 120, 240];

export function SweepMany({ preset }: { preset: Constants }) {
  const { constants, now } = useXray('constants', 'now');
  const golden = useGoldenQueries();
  const [axes, setAxes] = useState<readonly Numeric[]>(['rrf_k', 'bm25_weight', 'decay_floor']);
  const [method, setMethod] = useState<TrialMethod>('random');
  const [count, setCount] = useState(60);
  const [seed, setSeed] = useState(1);
  const run = usePieces<Trials>((held) => measurePiece(backend(), held.plan, held));
  if (golden.data?.length === 0) return <p>{t.judgedFirst}</p>;
  const { held, running } = run;
  const left = held ? held.total - held.trials.length : 0;
  const start = (draws: number) => {
    const plan = { axes, method, count, seed: draws, constants: constants ?? preset, now };
    run.start(() => measurePiece(backend(), plan, null));
  };
  return (
    <>
      <fieldset className={many.axes}>
        <legend>
          {t.constants} <small>{t.most}</small>
        </legend>
        {SPECS.map(({ name }) => (
          <ChipButton
            key={name}
            value={named(xray.sliders.names, name)}
            isOn={axes.includes(name)}
            onPress={() =>
              setAxes((chosen) => {
                if (chosen.includes(name)) return chosen.filter((one) => one !== name);
                return chosen.length < MOST ? [...chosen, name] : chosen;
              })
            }
          />
        ))}
      </fieldset>
      <div className={css.controls}>
        <Select
          label={t.method}
          value={method}
          choices={Object.entries(t.methods).map(([id, label]) => ({ id, label }))}
          onChange={(id) => setMethod(id as TrialMethod)}
        />
        <Select
          label={t.count}
          value={String(count)}
          choices={COUNTS.map((one) => ({ id: String(one), label: String(one) }))}
          onChange={(id) => setCount(Number(id))}
        />
        <Button isDisabled={axes.length === 0 || running} onPress={() => start(seed)}>
          {t.run}
        </Button>
        {running ? <Button onPress={run.stop}>{t.stop}</Button> : null}
        {!running && left > 0 ? <Button onPress={run.resume}>{t.resume(left)}</Button> : null}
        {!running && held && left === 0 && held.plan.method === 'random' ? (
          <Button
            variant="quiet"
            isDisabled={axes.length === 0}
            onPress={() => {
              setSeed(seed + 1);
              start(seed + 1);
            }}
          >
            {t.again}
          </Button>
        ) : null}
      </div>
      {running ? (
        <Progress label={t.progress} value={held?.trials.length ?? 0} total={held?.total ?? null} />
      ) : null}
      {run.error ? <p role="status">{sentenceOf(run.error)}</p> : null}
      {held ? <TrialsOutcome held={held} running={running} /> : null}
    </>
  );
}
