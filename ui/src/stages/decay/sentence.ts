import { xray } from '../../locales/en/xray';
import { itemOf, stageOf, termOf } from '../../trace/model';
import type { StageContext } from '../context';

const t = xray.decay;

/** The constants, and what age did to the expected memory or to the lead. */
export function decaySentence({ trace, verdict }: StageContext): string {
  const { half_life_days: halfLife, decay_floor: floor, decay_clock: clock } = trace.constants;
  if (stageOf(trace, 'decay').items.length === 0) return t.nothing;
  if (floor >= 1) return t.off;
  const settings = t.settings(halfLife, floor, clock === 'last_seen_at');
  const expected = verdict && itemOf(trace, 'decay', verdict.expected);
  const factor = expected && termOf(expected.terms, 'decay_factor');
  if (expected && factor != null) {
    return `${settings}; ${t.expected(factor, termOf(expected.terms, 'age_days') ?? null)}`;
  }
  const first = stageOf(trace, 'decay').items[0];
  const before = first && itemOf(trace, 'fusion', first.id)?.rank;
  if (before === undefined) return settings;
  return `${settings}; ${before > 1 ? t.lead(before) : t.kept}`;
}
