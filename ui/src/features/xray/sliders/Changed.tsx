/**
 * What differs from the preset among the constants that are not in the row: always visible, each
 * with its track while there is room for it, each with a way back.
 */
import { Button as AriaButton } from 'react-aria-components/Button';
import { Slider } from '../../../components/Slider';
import type { Constants, FixView } from '../../../ipc/bindings';
import { named, xray } from '../../../locales/en/xray';
import { bandsOf, changedBeside, described, shown, specOf } from '../../../words/constants';
import { xrayStore } from '../store';
import css from './Changed.module.css';

const t = xray.sliders;

/** More tracks than this would leave none of them room. */
const TRACKS = 3;

export function Changed(props: {
  constants: Constants;
  preset: Constants;
  fixes: readonly FixView[];
  litTimes: (constant: string) => number;
  /** Off while the drawer shows the same sliders. */
  withTracks: boolean;
}) {
  const { constants, preset, fixes, litTimes } = props;
  const names = changedBeside(constants, preset);
  const withTracks = props.withTracks && names.length <= TRACKS;
  return (
    <ul className={css.chips} aria-label={t.changed}>
      {names.map((name) => {
        const [label, value] = described(name, constants[name]);
        const before = described(name, preset[name])[1];
        const spec = specOf(name);
        const times = litTimes(name);
        return (
          <li key={name} className={css.chip} data-constant={withTracks ? name : undefined}>
            {withTracks && times > 0 ? (
              <span key={times} className={css.lit} aria-hidden="true" />
            ) : null}
            {spec && withTracks ? (
              <Slider
                isInline
                label={label}
                value={constants[spec.name]}
                min={spec.min}
                max={spec.max}
                step={spec.step}
                scale={spec.scale}
                defaultValue={preset[spec.name]}
                intervals={bandsOf(
                  fixes.find((fix) => fix.constant === name),
                  spec,
                )}
                format={(n) => shown(spec.name, n)}
                onChange={(next) => xrayStore().tune({ [spec.name]: next })}
              />
            ) : (
              <span>
                {named(t.names, name)} <b>{value}</b>
              </span>
            )}
            <AriaButton
              className={css.back}
              aria-label={t.back(label, before)}
              onPress={() => xrayStore().tune({ [name]: preset[name] })}
            >
              ↺
            </AriaButton>
          </li>
        );
      })}
    </ul>
  );
}
