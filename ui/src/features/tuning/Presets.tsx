/** Presets side by side: a column each, so that its button is in sight however many constants there are. */
import { Button } from '../../components/Button';
import { toast } from '../../components/Toast';
import type { PresetView } from '../../ipc/bindings';
import { useSaveSettings } from '../../ipc/hooks';
import { named, xray } from '../../locales/en/xray';
import { COMPARED, described, sameConstants } from '../../words/constants';
import { useDeletePreset } from '../xray/presets';
import { useXray, xrayStore } from '../xray/store';
import css from './Presets.module.css';
import tables from './TuningSection.module.css';

const t = xray.tuning;

export function Presets({ presets, inForce }: { presets: readonly PresetView[]; inForce: string }) {
  const standard = presets[0]?.constants;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard.
    <section className={tables.scroll} tabIndex={0} aria-label={t.presetsTable}>
      <table className={css.table}>
        <thead>
          <tr>
            <th scope="col">{t.constant}</th>
            {presets.map((one) => (
              <th scope="col" key={one.name}>
                <span className={css.name}>{one.name}</span>
                <Actions preset={one} inForce={inForce === one.name} />
              </th>
            ))}
          </tr>
          <tr className={css.about}>
            <td />
            {presets.map((one) => (
              <td key={one.name}>{one.description}</td>
            ))}
          </tr>
        </thead>
        <tbody>
          {COMPARED.map((name) => (
            <tr key={name}>
              <th scope="row">{named(xray.sliders.names, name)}</th>
              {presets.map((one) => {
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
