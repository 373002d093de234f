/** The beginning of Tuning: what goes wrong leads to a preset or a constant, tried on the current query. */
import { useState } from 'react';
import { Button } from '../../components/Button';
import { ChipButton } from '../../components/Chip';
import { Slider } from '../../components/Slider';
import { Failed } from '../../components/State';
import { toast } from '../../components/Toast';
import type { Constants, PresetView } from '../../ipc/bindings';
import { useSaveSettings } from '../../ipc/hooks';
import { named, xray } from '../../locales/en/xray';
import { described, sameConstants, shown, specOf } from '../../words/constants';
import { useXray, xrayStore } from '../xray/store';
import { Rows, useRanked } from './Compare';
import { differing, type Remedy, remedyFor, under, type Wrong as What, WRONGS } from './remedies';
import css from './TuningSection.module.css';

const t = xray.wrong;

export function Wrong({ presets, preset }: { presets: readonly PresetView[]; preset: Constants }) {
  const [wrong, setWrong] = useState<What | null>(null);
  const { constants: held } = useXray('constants');
  const constants = held ?? preset;
  return (
    <>
      <fieldset className={css.wrongs}>
        <legend className="visually-hidden">{t.title}</legend>
        {WRONGS.map((one) => (
          <ChipButton
            key={one}
            value={t.what[one]}
            isOn={wrong === one}
            onPress={() => setWrong(wrong === one ? null : one)}
          />
        ))}
      </fieldset>
      {wrong === null ? null : (
        <Proposal
          key={wrong}
          about={t.why[wrong]}
          first={remedyFor(wrong, presets, constants)}
          constants={constants}
        />
      )}
    </>
  );
}

function Proposal(props: { about: string; first: Remedy; constants: Constants }) {
  // What it begins with stays, also once it is in use and nothing differs any more.
  const [before] = useState(props.constants);
  const [remedy, setRemedy] = useState(props.first);
  const { view } = useXray('view');
  const save = useSaveSettings();
  const after = under(remedy, before);
  const isUsed = sameConstants(after, props.constants);
  const spec = specOf(remedy.slider);
  const apply = () => {
    const store = xrayStore();
    const was = store.get();
    if (remedy.preset) {
      store.applyPreset(remedy.preset);
      save.mutate({ preset: remedy.preset.name });
    }
    store.tune(after);
    toast(t.applied, {
      undo: () => {
        if (was.preset) {
          store.applyPreset(was.preset);
          if (remedy.preset) save.mutate({ preset: was.preset.name });
        }
        store.tune(before);
      },
    });
  };
  return (
    <>
      <p>{props.about}</p>
      {remedy.preset ? <p>{remedy.preset.description}</p> : null}
      <ul className={css.proposed}>
        {remedy.preset ? (
          <li>
            {xray.query.preset} <b>{remedy.preset.name}</b>
          </li>
        ) : null}
        {differing(before, after).map((name) => (
          <li key={name}>
            {described(name, after[name])[0]} <code>{described(name, before[name])[1]}</code> →{' '}
            <code>{described(name, after[name])[1]}</code>
          </li>
        ))}
      </ul>
      <div className={css.pair}>
        <Slider
          label={named(xray.sliders.names, spec.name)}
          value={after[spec.name]}
          min={spec.min}
          max={spec.max}
          step={spec.step}
          scale={spec.scale}
          defaultValue={before[spec.name]}
          format={(value) => shown(spec.name, value)}
          note={named(xray.sliders.formulas, spec.name)}
          onChange={(value) =>
            setRemedy({ ...remedy, changes: { ...remedy.changes, [spec.name]: value } })
          }
        />
        <Button variant="primary" isDisabled={isUsed} onPress={apply}>
          {isUsed ? t.used : t.use}
        </Button>
      </div>
      {view ? <BeforeAfter recall={view.recall} a={before} b={after} /> : <p>{t.noQuery}</p>}
    </>
  );
}

function BeforeAfter({ recall, a, b }: { recall: string; a: Constants; b: Constants }) {
  const before = useRanked(recall, a);
  const after = useRanked(recall, b);
  const error = before.error ?? after.error;
  if (error) {
    const again = () => {
      void before.refetch();
      void after.refetch();
    };
    return <Failed error={error} onRetry={again} />;
  }
  if (!before.data || !after.data) return <p>{xray.tuning.ranking}</p>;
  return (
    <Rows views={[before.data, after.data]} same={t.same} summary={t.summary} heads={t.heads} />
  );
}
