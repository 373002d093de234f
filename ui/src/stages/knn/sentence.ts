import { xray } from '../../locales/en/xray';
import { stageOf, termOf } from '../../trace/model';
import { gateOf, type StageContext } from '../context';

const t = xray.knn;

/** How many were nearest, and where the expected one stands. */
export function knnSentence({ trace, verdict }: StageContext): string {
  const stage = stageOf(trace, 'knn');
  if (stage.out === 0) return t.none(stage.in || trace.searchable);
  const parts = [t.nearest(stage.out, stage.in || trace.searchable)];
  const gate = gateOf(verdict, 'knn');
  if (gate && gate.value !== null && gate.verdict !== 'not_reached') {
    const short = gate.verdict === 'ok' ? null : scoreGap(stage.items, verdict?.expected);
    parts.push(gate.verdict === 'ok' ? t.expectedIn(gate.value) : t.expected(gate.value, short));
  } else {
    const best = stage.items[0];
    const cosine = best && termOf(best.terms, 'cosine');
    if (cosine !== undefined) parts.push(t.best(cosine));
  }
  return parts.join('; ');
}

/** How much cosine is missing to the last candidate that was kept; null when the list is too short to know. */
function scoreGap(
  items: ReadonlyArray<{ id: string; score: number; dropped: string | null }>,
  expected: string | undefined,
): number | null {
  const mine = items.find((item) => item.id === expected);
  const kept = items.filter((item) => item.dropped === null);
  const last = kept[kept.length - 1];
  return mine && last && last.score > mine.score ? last.score - mine.score : null;
}
