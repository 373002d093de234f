/** Every constant under the hand: moving one ranks again at once. */
import { memo, type ReactNode, useState } from 'react';
import { Button as AriaButton } from 'react-aria-components/Button';
import { Button } from '../../components/Button';
import { Dialog } from '../../components/Dialog';
import { Switch, TextField } from '../../components/fields';
import { Slider } from '../../components/Slider';
import { Tooltip } from '../../components/Tooltip';
import type { FixView, VerdictView } from '../../ipc/types';
import { named, xray } from '../../locales/en/xray';
import { bandNote, bandsOf, type ConstantSpec, SPECS, sameConstants, shown } from './constants';
import { Metrics } from './Metrics';
import { useSavePreset } from './presets';
import { Segmented } from './Segmented';
import css from './SliderBar.module.css';
import { useXray, xrayStore } from './store';

const t = xray.sliders;

export function SliderBar({ verdict, time }: { verdict: VerdictView | null; time?: ReactNode }) {
  const { constants, preset } = useXray('constants', 'preset');
  const [naming, setNaming] = useState(false);
  const store = xrayStore();
  if (!constants || !preset) return null;
  const edited = !sameConstants(constants, preset.constants);
  const fixes = verdict && !verdict.in_results ? verdict.fixes : [];
  return (
    <section className={css.bar} aria-label={t.label}>
      {time}
      <div className={css.sliders}>
        {SPECS.map((spec) => (
          <Constant
            key={spec.name}
            spec={spec}
            value={constants[spec.name]}
            byPreset={preset.constants[spec.name]}
            fix={fixes.find((fix) => fix.constant === spec.name)}
          />
        ))}
        <div className={css.last}>
          <div className={css.switches}>
            <Segmented
              label={t.fusion}
              value={constants.fusion}
              choices={[
                ['rrf', t.rrf],
                ['convex', t.convex],
              ]}
              onChange={(fusion) => store.tune({ fusion: fusion as 'rrf' | 'convex' })}
            />
            <Help name={t.fusion} words={t.fusionHelp} formula={t.fusionFormula} />
            <Switch isSelected={constants.mmr} onChange={(mmr) => store.tune({ mmr })}>
              {t.mmr}
            </Switch>
            <Help name={t.mmr} words={t.mmrHelp} formula={t.mmrFormula} />
          </div>
          <div className={css.actions}>
            <Button
              variant="quiet"
              isDisabled={!edited}
              aria-label={t.resetTo(preset.name)}
              onPress={() => store.applyPreset(preset)}
            >
              {t.reset}
            </Button>
            <Button
              variant="quiet"
              isDisabled={!edited}
              aria-label={t.save}
              onPress={() => setNaming(true)}
            >
              {t.saveShort}
            </Button>
          </div>
        </div>
      </div>
      <Metrics />
      <SavePreset isOpen={naming} onClose={() => setNaming(false)} />
    </section>
  );
}

/** Only the slider that moves draws again. */
const Constant = memo(function Constant(props: {
  spec: ConstantSpec;
  value: number;
  byPreset: number;
  fix: FixView | undefined;
}) {
  const { spec, value, byPreset, fix } = props;
  const name = named(t.names, spec.name);
  return (
    <div className={css.constant}>
      <Slider
        label={name}
        value={value}
        min={spec.min}
        max={spec.max}
        step={spec.step}
        scale={spec.scale}
        defaultValue={byPreset}
        intervals={bandsOf(fix, spec)}
        format={(n) => shown(spec.name, n)}
        note={fix ? bandNote(fix) : named(t.formulas, spec.name)}
        onChange={(next) => xrayStore().tune({ [spec.name]: next })}
      />
      <Help name={name} words={named(t.help, spec.name)} formula={named(t.formulas, spec.name)} />
    </div>
  );
});

/** One sentence and the formula, behind a question mark. */
function Help({ name, words, formula }: { name: string; words: string; formula: string }) {
  return (
    <Tooltip
      content={
        <>
          {words}
          <br />
          <code>{formula}</code>
        </>
      }
    >
      <AriaButton className={css.help} aria-label={t.about(name)}>
        ?
      </AriaButton>
    </Tooltip>
  );
}

function SavePreset({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const [name, setName] = useState('');
  const { constants } = useXray('constants');
  const save = useSavePreset();
  const done = () => {
    if (!constants || name.trim() === '') return;
    save.mutate({ name: name.trim(), constants }, { onSuccess: onClose });
  };
  return (
    <Dialog
      title={xray.sliders.save}
      isOpen={isOpen}
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>{xray.query.cancel}</Button>
          <Button
            variant="primary"
            isDisabled={name.trim() === ''}
            isPending={save.isPending}
            onPress={done}
          >
            {xray.query.save}
          </Button>
        </>
      }
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          done();
        }}
      >
        <TextField label={xray.query.presetName} value={name} onChange={setName} autoFocus />
      </form>
    </Dialog>
  );
}
