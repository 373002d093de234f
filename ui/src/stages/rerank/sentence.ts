import { itemOf, stageOf } from '../../features/xray/model';
import { xray } from '../../locales/en/xray';
import { gateOf, type StageContext } from '../context';

const t = xray.rerank;

/** Who reads how many, and what that changed. */
export function rerankSentence({ trace, verdict }: StageContext): string {
  const { rerank, rerank_window: size } = trace.constants;
  if (rerank === 'off') return t.off;
  const stage = stageOf(trace, 'rerank');
  const window = Math.min(size, stageOf(trace, 'decay').items.length);
  if (window === 0) return t.nothing;
  const read = stage.items.filter((item) => item.reranked).length;
  const parts = [t.reads(t.backends[rerank], window)];
  const gate = gateOf(verdict, 'rerank');
  const first = stage.items[0];
  if (gate?.value != null && (gate.verdict === 'ok' || gate.verdict === 'lost')) {
    parts.push(t.expected(gate.value));
  } else if (read < window) {
    parts.push(t.waiting(window - read));
  } else if (first) {
    const before = itemOf(trace, 'decay', first.id)?.rank ?? 1;
    parts.push(before > 1 ? t.lifted(before) : t.agreed);
  }
  return parts.join(parts[1] === t.agreed ? ' ' : '; ');
}
