/** Presets side by side, and what choosing another one does to the current query. */
import type { ReactNode } from 'react';
import { Button } from '../../components/Button';
import { Failed, Waiting } from '../../components/State';
import { useGoldenQueries } from '../../ipc/golden';
import { useSettings } from '../../ipc/hooks';
import { xray } from '../../locales/en/xray';
import { PLACES, type Place } from '../../shell/book';
import { HelpMark } from '../../shell/HelpMark';
import { navigate } from '../../shell/route';
import { presetInForce } from '../xray/presets';
import { useXray } from '../xray/store';
import { Compare } from './Compare';
import { Exchange } from './Exchange';
import { Golden } from './Golden';
import { Headroom } from './Headroom';
import { Presets } from './Presets';
import { Suite } from './Suite';
import { Sweep } from './Sweep';
import { SweepMany } from './SweepMany';
import { SweepTwo } from './SweepTwo';
import css from './TuningSection.module.css';
import { Unlock } from './Unlock';
import { Wrong } from './Wrong';

const t = xray.tuning;

export function TuningSection() {
  const settings = useSettings();
  const { view } = useXray('view');
  const isLocked = useGoldenQueries().data?.length === 0;
  if (settings.error) {
    return <Failed error={settings.error} onRetry={() => void settings.refetch()} />;
  }
  if (!settings.data) return <Waiting />;
  const { presets, preset } = settings.data;
  const constants = presetInForce(settings.data)?.constants;
  return (
    <div className={css.screen}>
      <h1>{t.title}</h1>
      {constants ? (
        <Card
          id="tuning-wrong"
          place={PLACES.complaints}
          title={xray.wrong.title}
          help={xray.wrong.help}
        >
          <Wrong presets={presets} preset={constants} />
        </Card>
      ) : null}
      <section className={css.card} aria-labelledby="tuning-presets" data-help={PLACES.presets}>
        <Title id="tuning-presets" place={PLACES.presets}>
          {t.presets}
        </Title>
        <p>{t.presetsHelp}</p>
        <Presets presets={presets} inForce={preset} />
        {presets.every((one) => one.builtin) ? <p>{t.standardOnly}</p> : null}
      </section>
      <section className={css.card} aria-labelledby="tuning-compare" data-help={PLACES.compare}>
        <Title id="tuning-compare" place={PLACES.compare}>
          {t.compare}
        </Title>
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
      <Card
        id="tuning-golden"
        place={PLACES.golden}
        title={xray.golden.title}
        help={xray.golden.help}
      >
        <Golden presets={presets} inForce={preset} />
      </Card>
      {constants ? (
        <>
          {isLocked ? (
            <Card
              id="tuning-unlock"
              place={PLACES.golden}
              title={xray.unlock.title}
              help={xray.unlock.help}
            >
              <Unlock />
            </Card>
          ) : (
            <>
              <Card
                id="tuning-headroom"
                place={PLACES.sweeps}
                title={xray.headroom.title}
                help={xray.headroom.help}
              >
                <Headroom preset={constants} />
              </Card>
              <Card
                id="tuning-sweep"
                place={PLACES.sweeps}
                title={xray.sweep.title}
                help={xray.sweep.help}
              >
                <Sweep preset={constants} />
              </Card>
              <Card
                id="tuning-sweep-two"
                place={PLACES.sweeps}
                title={xray.sweepTwo.title}
                help={xray.sweepTwo.help}
              >
                <SweepTwo preset={constants} />
              </Card>
              <Card
                id="tuning-sweep-many"
                place={PLACES.sweeps}
                title={xray.sweepMany.title}
                help={xray.sweepMany.help}
              >
                <SweepMany preset={constants} />
              </Card>
            </>
          )}
          <Card
            id="tuning-suite"
            place={PLACES.suite}
            title={xray.suite.title}
            help={xray.suite.help}
          >
            <Suite preset={constants} />
          </Card>
          <Card
            id="tuning-exchange"
            place={PLACES.golden}
            title={xray.exchange.title}
            help={xray.exchange.help}
          >
            <Exchange preset={constants} />
          </Card>
        </>
      ) : null}
    </div>
  );
}

function Card(props: {
  id: string;
  title: string;
  place: Place;
  help: string;
  children: ReactNode;
}) {
  return (
    <section className={css.card} aria-labelledby={props.id} data-help={props.place}>
      <Title id={props.id} place={props.place}>
        {props.title}
      </Title>
      <p>{props.help}</p>
      {props.children}
    </section>
  );
}

/** What a card is about, and the way to its page. */
function Title({ id, place, children }: { id: string; place: Place; children: string }) {
  return (
    <div className={css.title}>
      <h2 id={id}>{children}</h2>
      <HelpMark place={place} about={children} />
    </div>
  );
}
