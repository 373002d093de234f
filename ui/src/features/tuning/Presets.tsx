/** Presets side by side: a column each, so that its button is in sight however many constants there are. */
import { useState } from 'react';
import { Button } from '../../components/Button';
import { toast } from '../../components/Toast';
import type { PresetView } from '../../ipc/bindings';
import { useSaveSettings } from '../../ipc/hooks';
import { named, xray } from '../../locales/en/xray';
import { COMPARED, described, sameConstants } from '../../words/constants';
import { useDeletePreset } from '../xray/presets';
import { Help } from '../xray/sliders/ConstantSlider';
import { useXray, xrayStore } from '../xray/store';
import css from './Presets.module.css';
import { recommendedFirst } from './remedies';
import tables from './TuningSection.module.css';

const t = xray.tuning;

/** The documented pipeline, which the others are told apart from. */
const STANDARD = 'Standard';

export function Presets({ presets, inForce }: { presets: readonly PresetView[]; inForce: string }) {
  const standard = (presets.find((one) => one.name === STANDARD) ?? presets[0])?.constants;
  const [all, setAll] = useState(false);
  const ordered = recommendedFirst(presets);
  const telling = COMPARED.filter((name) =>
    presets.some((one) => one.constants[name] !== standard?.[name]),
  );
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard. */}
      <section className={tables.scroll} tabIndex={0} aria-label={t.presetsTable}>
        <table className={css.table}>
          <thead>
            <tr>
              <th scope="col">{t.constant}</th>
              {ordered.map((one) => (
                <th scope="col" key={one.name}>
                  <span className={css.name}>{one.name}</span>
                  <Actions preset={one} inForce={inForce === one.name} />
                </th>
              ))}
            </tr>
            <tr className={css.about}>
              <td />
              {ordered.map((one) => (
                <td key={one.name}>{one.description}</td>
              ))}
            </tr>
          </thead>
          <tbody>
            {(all ? COMPARED : telling).map((name) => (
              <tr key={name}>
                <th scope="row" aria-label={named(xray.sliders.names, name)}>
                  {named(xray.sliders.names, name)} <Help constant={name} />
                </th>
                {ordered.map((one) => {
                  const differs = standard !== undefined && standard[name] !== one.constants[name];
                  return (
                    <td key={one.name} data-differs={differs || undefined}>
                      {described(name, one.constants[name])[1]}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {telling.length < COMPARED.length ? (
        <Button variant="quiet" aria-expanded={all} onPress={() => setAll(!all)}>
          {all ? t.fewer : t.all(COMPARED.length)}
        </Button>
      ) : null}
    </>
  );
}

function Actions({ preset, inForce }: { preset: PresetView; inForce: boolean }) {
  const save = useSaveSettings();
  const remove = useDeletePreset();
  const { constants } = useXray('constants');
  const inUse = inForce && (constants === null || sameConstants(constants, preset.constants));
  return (
    <>
      {inUse ? (
        <span className={css.used}>✓ {t.used}</span>
      ) : (
        <Button
          aria-label={`${t.use} ${preset.name}`}
          onPress={() => {
            xrayStore().applyPreset(preset);
            save.mutate({ preset: preset.name });
          }}
        >
          {t.use}
        </Button>
      )}
      {preset.builtin ? null : (
        <Button
          variant="quiet"
          aria-label={`${t.remove} ${preset.name}`}
          onPress={() =>
            remove.mutate(preset.name, { onSuccess: () => toast(t.removed(preset.name)) })
          }
        >
          {t.remove}
        </Button>
      )}
    </>
  );
}
