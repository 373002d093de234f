import { xray } from '../../locales/en/xray';
import { itemOf, stageOf, termOf } from '../../trace/model';
import type { StageContext } from '../context';

const t = xray.decay;

/** The constants, what age did to the expected memory or to the lead, and what authority did. */
export function decaySentence(context: StageContext): string {
  const { items } = stageOf(context.trace, 'decay');
  const { authority: alpha } = context.trace.constants;
  if (alpha === 0 || items.length === 0) return ageing(context);
  const lifted = items.filter((item) => termOf(item.terms, 'authority_factor') !== undefined);
  return `${ageing(context)}; ${t.authority(alpha, lifted.length)}`;
}

function ageing({ trace, verdict }: StageContext): string {
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
