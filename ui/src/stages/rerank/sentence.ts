import { xray } from '../../locales/en/xray';
import { isBelowWindow, itemOf, stageOf } from '../../trace/model';
import { gateOf, type StageContext } from '../context';

const t = xray.rerank;

/** Who reads how many, and what that changed. */
export function rerankSentence({ trace, verdict }: StageContext): string {
  const { rerank, rerank_window: size } = trace.constants;
  if (rerank === 'off') return t.off;
  const stage = stageOf(trace, 'rerank');
  const window = Math.min(
    size,
    stageOf(trace, 'decay').out || stageOf(trace, 'decay').items.length,
  );
  if (window === 0) return t.nothing;
  const unread = stage.items.filter(
    (item) => !item.reranked && item.dropped === null && !isBelowWindow(item),
  ).length;
  const parts = [t.reads(t.backends[rerank], window)];
  const gate = gateOf(verdict, 'rerank');
  const first = stage.items[0];
  if (gate?.value != null && (gate.verdict === 'ok' || gate.verdict === 'lost')) {
    parts.push(t.expected(gate.value));
  } else if (unread > 0) {
    parts.push(t.waiting(unread));
  } else if (first) {
    const before = itemOf(trace, 'decay', first.id)?.rank ?? 1;
    parts.push(before > 1 ? t.lifted(before) : t.agreed);
  }
  return parts.join(parts[1] === t.agreed ? ' ' : '; ');
}
