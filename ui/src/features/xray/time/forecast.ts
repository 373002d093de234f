/** What time will do to the answer on screen, as the core computes it. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { backend } from '../../../ipc/backend';
import type { ForecastView, MemoryFate } from '../../../ipc/bindings';
import { keys } from '../../../ipc/keys';
import { xray } from '../../../locales/en/xray';
import { moment } from '../history/difference';
import { useXray } from '../store';

const t = xray.time;

export const DAY = 86_400_000;

/** How far ahead the slider and the forecast reach. */
export const AHEAD_DAYS = 90;

/** How long an answer stands before its future is asked for. */
export const REST_MS = 350;

/** The forecast for the answer on screen; while it changes, the last one of the same query stays. */
export function useForecast(): ForecastView | null {
  const { view, phase, frozen } = useXray('view', 'phase', 'frozen');
  const [resting, setResting] = useState(view);
  useEffect(() => {
    if (phase !== 'settled') return;
    const timer = setTimeout(() => setResting(view), REST_MS);
    return () => clearTimeout(timer);
  }, [view, phase]);
  const held = frozen === null && resting?.recall === view?.recall ? resting : null;
  const request = held
    ? {
        recall: held.recall,
        constants: held.trace.constants,
        now: held.trace.now,
        from: null,
        days: AHEAD_DAYS,
      }
    : null;
  const asked = useQuery({
    queryKey: keys.forecast(held?.recall ?? '', request),
    queryFn: () => backend().forecast(request as NonNullable<typeof request>),
    enabled: request !== null && (held?.trace.results.length ?? 0) > 0,
    placeholderData: (before, query) =>
      query?.queryKey[1] === held?.recall ? keepPreviousData(before) : undefined,
    retry: false,
    gcTime: 30_000,
  });
  return request === null ? null : (asked.data ?? null);
}

/** "3 h", "9 d", "2 mo": a stretch of time from the clock to a moment. */
export function span(from: string, to: string): string {
  const days = (Date.parse(to) - Date.parse(from)) / DAY;
  if (days < 1 / 24) return '< 1 h';
  if (days < 2) return `${Math.round(days * 24)} h`;
  return `${Math.floor(days)} d`;
}

const when = (clock: string, at: string) => `${t.in(span(clock, at))} ${t.at(moment(at))}`;

/** What becomes of a memory, in sentences; the first is the one that matters most. */
export function sentences(forecast: ForecastView, fate: MemoryFate | undefined): string[] {
  const { clock, results } = forecast;
  const days = Math.round((Date.parse(forecast.until) - Date.parse(clock)) / DAY);
  if (!fate) return [t.staysOut(results, days)];
  const said: string[] = [];
  if (fate.leaves_at) said.push(t.leaves(results, when(clock, fate.leaves_at)));
  else if (fate.enters_at) said.push(t.enters(results, when(clock, fate.enters_at)));
  else if (fate.rank !== null) said.push(t.stays(results, days));
  else said.push(t.staysOut(results, days));
  const moves = fate.next_at !== null && fate.next_rank !== null && fate.rank !== null;
  if (moves && fate.next_at !== null && fate.next_rank !== null)
    said.push(t.moves(fate.next_rank, when(clock, fate.next_at)));
  return said;
}
