/**
 * The clock under the hand: ages are counted back from it, and the list ranks again as it moves.
 *
 * A native range input carries it, since it must say its value as a date.
 */
import { memo, useMemo } from 'react';
import { Button } from '../../../components/Button';
import type { ForecastView } from '../../../ipc/bindings';
import { xray } from '../../../locales/en/xray';
import { moment } from '../history/difference';
import { useXray, useXrayValue, xrayStore } from '../store';
import { AHEAD_DAYS, DAY, span } from './forecast';
import css from './Scrubber.module.css';

const t = xray.time;

/** A step of the slider: fine enough for a decay of hours, coarse enough for the arrow keys. */
const STEP = DAY / 4;

export const Scrubber = memo(function Scrubber({ forecast }: { forecast: ForecastView | null }) {
  const { cards, own } = useXray('cards', 'own');
  const shown = useXrayValue(({ view }) => view?.trace.now ?? null);
  const base = Date.parse(own ?? '');
  const oldest = useMemo(() => {
    const times = Object.values(cards).flatMap((card) =>
      card.created_at ? [Date.parse(card.created_at)] : [],
    );
    return times.length > 0 ? Math.min(...times) : base - AHEAD_DAYS * DAY;
  }, [cards, base]);
  if (shown === null || Number.isNaN(base)) return null;
  const from = base - Math.ceil(Math.max(0, base - oldest) / STEP) * STEP;
  const to = base + AHEAD_DAYS * DAY;
  const at = Math.min(to, Math.max(from, Date.parse(shown)));
  const percent = (time: number) => `${(((time - from) / (to - from)) * 100).toFixed(3)}%`;
  const clock = new Date(at).toISOString();
  const offset = Math.round((at - base) / DAY);
  const value = Math.abs(at - base) < STEP / 2 ? `${t.reset}: ${moment(clock)}` : moment(clock);
  const ticks = (forecast?.changes ?? []).filter((change) => Date.parse(change.at) <= to);
  const days = forecast
    ? Math.round((Date.parse(forecast.until) - Date.parse(forecast.clock)) / DAY)
    : 0;
  return (
    <section className={css.time} aria-label={t.label}>
      <span className={css.clock} title={t.help}>
        {t.asOf} <output>{moment(clock)}</output>
        <em>{offset === 0 ? '' : offset > 0 ? `+${offset} d` : `−${-offset} d`}</em>
      </span>
      <div className={css.field}>
        <div className={css.track} aria-hidden="true">
          <span className={css.present} style={{ left: percent(base) }} />
          {ticks.map((change) => (
            <span
              key={change.at}
              className={css.tick}
              data-member={change.entered.length + change.left.length > 0 || undefined}
              style={{ left: percent(Date.parse(change.at)) }}
            />
          ))}
        </div>
        <input
          type="range"
          className={css.input}
          aria-label={t.slider}
          aria-valuetext={value}
          min={0}
          max={Math.round((to - from) / STEP)}
          step={1}
          value={Math.round((at - from) / STEP)}
          onChange={(event) => scrubTo(from + event.target.valueAsNumber * STEP, base)}
          onDoubleClick={() => xrayStore().scrub(null)}
        />
      </div>
      <span className={css.says}>
        {forecast ? t.changes(forecast.changes.length, days) : ''}
        {forecast && !forecast.exact ? ` ${t.stepped}` : ''}
        {forecast?.unread ? ` ${t.unread}` : ''}
        {forecast?.changes[0] ? ` · ${t.first(span(forecast.clock, forecast.changes[0].at))}` : ''}
      </span>
      <ToPresent />
    </section>
  );
});

const ToPresent = memo(function ToPresent() {
  const { now } = useXray('now');
  return (
    <Button
      variant="quiet"
      isDisabled={now === null}
      aria-label={t.resetName}
      onPress={() => xrayStore().scrub(null)}
    >
      {t.reset}
    </Button>
  );
});

/** The slider's own present is a place without a clock of its own. */
function scrubTo(at: number, base: number): void {
  xrayStore().scrub(Math.abs(at - base) < STEP / 2 ? null : new Date(at).toISOString());
}
