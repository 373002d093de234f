/** One constant's slider with its green bands, and what the constant does behind a question mark. */
import { memo } from 'react';
import { Slider } from '../../../components/Slider';
import type { FixView } from '../../../ipc/bindings';
import { named, xray } from '../../../locales/en/xray';
import { placeOfConstant } from '../../../shell/book';
import { HelpMark } from '../../../shell/HelpMark';
import { bandNote, bandsOf, type ConstantSpec, shown } from '../../../words/constants';
import { xrayStore } from '../store';
import css from './ConstantSlider.module.css';

const t = xray.sliders;

interface ConstantSliderProps {
  spec: ConstantSpec;
  value: number;
  byPreset: number;
  fix: FixView | undefined;
  /** How often Try has pointed at it; each time it is lit for a moment. */
  litTimes?: number;
  /** Not what was searched for. */
  isFaded?: boolean;
}

/** Only the slider that moves draws again. */
export const ConstantSlider = memo(function ConstantSlider(props: ConstantSliderProps) {
  const { spec, value, byPreset, fix, litTimes = 0, isFaded = false } = props;
  const name = named(t.names, spec.name);
  return (
    <div
      className={css.constant}
      data-constant={spec.name}
      data-help={placeOfConstant(spec.name)}
      data-faded={isFaded || undefined}
    >
      {litTimes > 0 ? <span key={litTimes} className={css.lit} aria-hidden="true" /> : null}
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
      <Help constant={spec.name} />
    </div>
  );
});

/** One sentence and the formula, behind a question mark that opens the book there. */
export function Help({ constant }: { constant: string }) {
  return (
    <span className={css.help}>
      <HelpMark place={placeOfConstant(constant)} about={named(t.names, constant)}>
        {named(t.help, constant)}
        <br />
        <code>{named(t.formulas, constant)}</code>
      </HelpMark>
    </span>
  );
}
