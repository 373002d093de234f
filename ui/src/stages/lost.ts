/** Where the expected memory was lost, said the same by the headline's line, the chart and the card. */
import type { GateView, Stage, Trace, VerdictView } from '../ipc/bindings';
import { ordinal } from '../locales/en/format';
import { named, xray } from '../locales/en/xray';
import { isLeg, STAGES } from '../trace/model';
import { gateOf } from './context';

const t = xray.lost;

/** The card at which it was lost; what is decided after the last stage shows on that one. */
export function lostStage(verdict: VerdictView | null): Stage | null {
  if (verdict === null || verdict.in_results || verdict.lost_at === null) return null;
  const { lost_at: at } = verdict;
  if (at === 'duplicate' || at === 'budget') return 'select';
  return STAGES.find((stage) => stage === at) ?? null;
}

/** What becomes of those that pass the gate. */
function kept(gate: GateView, trace: Trace): (n: number) => string {
  if (isLeg(gate.name)) return t.kept;
  const { rerank, rerank_window: window } = trace.constants;
  return gate.name !== 'select' && rerank !== 'off' && gate.threshold === window
    ? t.read
    : t.returned;
}

/** "144th, 40 are kept"; null where the gate knows no two numbers. */
export function placeAtGate(trace: Trace, verdict: VerdictView, name: string): string | null {
  const gate = gateOf(verdict, name);
  if (gate?.value == null || gate.threshold == null) return null;
  // Of a list that was not followed to its end, the core knows no more than where it stopped.
  const place = gate.beyond ? t.beyond(ordinal(gate.value - 1)) : ordinal(gate.value);
  return t.place(place, kept(gate, trace)(gate.threshold));
}

/** The gate that lost it and its two numbers, or the core's reason: "bm25: 144th, 40 are kept". */
export function lostWords(trace: Trace, verdict: VerdictView): string | null {
  const { lost_at: at } = verdict;
  if (verdict.in_results || at === null) return null;
  const note = gateOf(verdict, at)?.note.replace(/\.$/, '');
  const words =
    placeAtGate(trace, verdict, at) ?? (note ? note : (xray.finding.lost[at] ?? t.unknown));
  // A stage is named as its card is.
  return t.at(named({ ...xray.verdict.names, ...xray.stages.names }, at), words);
}
