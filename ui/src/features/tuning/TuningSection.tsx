/** Presets side by side, and what choosing another one does to the current query. */
import type { ReactNode } from 'react';
import { navigate } from '../../app/route';
import { Button } from '../../components/Button';
import { EmptyState } from '../../components/EmptyState';
import { toast } from '../../components/Toast';
import { sentenceOf } from '../../ipc/failure';
import { useSaveSettings, useSettings } from '../../ipc/hooks';
import type { Constants, PresetView } from '../../ipc/types';
import { named, xray } from '../../locales/en/xray';
import { described, sameConstants } from '../xray/constants';
import { presetInForce, useDeletePreset } from '../xray/presets';
import { useXray, xrayStore } from '../xray/store';
import { Compare } from './Compare';
import { Exchange } from './Exchange';
import { Golden } from './Golden';
import { Headroom } from './Headroom';
import { Suite } from './Suite';
import { Sweep } from './Sweep';
import { SweepMany } from './SweepMany';
import { SweepTwo } from './SweepTwo';
import css from './TuningSection.module.css';

const t = xray.tuning;

/** The constants that tell presets apart; the rest is in the X-ray. */
const SHOWN: ReadonlyArray<keyof Constants> = [
  'candidates',
  'knn_feedback',
  'bm25_short',
  'bm25_long',
  'fusion',
  'convex_bounds',
  'rrf_k',
  'knn_weight',
  'bm25_weight',
  'half_life_days',
  'half_life_by_kind',
  'decay_floor',
  'rerank',
  'rerank_window',
  'rerank_blend',
  'results',
  'mmr',
];

export function TuningSection() {
  const settings = useSettings();
  const { view } = useXray('view');
  if (settings.error) return <EmptyState title={t.title}>{sentenceOf(settings.error)}</EmptyState>;
  if (!settings.data) return null;
  const { presets, preset } = settings.data;
  const constants = presetInForce(settings.data)?.constants;
  return (
    <div className={css.screen}>
      <h1>{t.title}</h1>
      <section className={css.card} aria-labelledby="tuning-presets">
        <h2 id="tuning-presets">{t.presets}</h2>
        <p>{t.presetsHelp}</p>
        <Presets presets={presets} inForce={preset} />
        {presets.every((one) => one.builtin) ? <p>{t.standardOnly}</p> : null}
      </section>
      <section className={css.card} aria-labelledby="tuning-compare">
        <h2 id="tuning-compare">{t.compare}</h2>
        {view ? (
          <>
            <p>
              {t.compareHelp} <q>{view.trace.query}</q>
            </p>
            <Compare presets={presets} recall={view.recall} inForce={preset} />
          </>
        ) : (
          <>
            <p>{t.noQuery}</p>
            <Button onPress={() => navigate('xray')}>{t.goAsk}</Button>
          </>
        )}
      </section>
      <Card id="tuning-golden" title={xray.golden.title} help={xray.golden.help}>
        <Golden presets={presets} inForce={preset} />
      </Card>
      {constants ? (
        <>
          <Card id="tuning-headroom" title={xray.headroom.title} help={xray.headroom.help}>
            <Headroom preset={constants} />
          </Card>
          <Card id="tuning-sweep" title={xray.sweep.title} help={xray.sweep.help}>
            <Sweep preset={constants} />
          </Card>
          <Card id="tuning-sweep-two" title={xray.sweepTwo.title} help={xray.sweepTwo.help}>
            <SweepTwo preset={constants} />
          </Card>
          <Card id="tuning-sweep-many" title={xray.sweepMany.title} help={xray.sweepMany.help}>
            <SweepMany preset={constants} />
          </Card>
          <Card id="tuning-suite" title={xray.suite.title} help={xray.suite.help}>
            <Suite preset={constants} />
          </Card>
          <Card id="tuning-exchange" title={xray.exchange.title} help={xray.exchange.help}>
            <Exchange preset={constants} />
          </Card>
        </>
      ) : null}
    </div>
  );
}

function Card(props: { id: string; title: string; help: string; children: ReactNode }) {
  return (
    <section className={css.card} aria-labelledby={props.id}>
      <h2 id={props.id}>{props.title}</h2>
      <p>{props.help}</p>
      {props.children}
    </section>
  );
}

function Presets({ presets, inForce }: { presets: readonly PresetView[]; inForce: string }) {
  const standard = presets[0]?.constants;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard.
    <section className={css.scroll} tabIndex={0} aria-label={t.presetsTable}>
      <table className={css.table}>
        <thead>
          <tr>
            <th scope="col">{t.name}</th>
            {SHOWN.map((name) => (
              <th scope="col" key={name}>
                {named(xray.sliders.names, name)}
              </th>
            ))}
            <th scope="col">
              <span className="visually-hidden">{t.use}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {presets.map((one) => (
            <tr key={one.name}>
              <th scope="row">
                {one.name}
                <small>{one.description}</small>
              </th>
              {SHOWN.map((name) => {
                const differs = standard !== undefined && standard[name] !== one.constants[name];
                return (
                  <td key={name} data-differs={differs || undefined}>
                    {described(name, one.constants[name])[1]}
                  </td>
                );
              })}
              <td className={css.buttons}>
                <Actions preset={one} inForce={inForce === one.name} />
              </td>
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
