/** What a stage's sentence is made from. */
import type { ContextView, GateView, Trace, VerdictView } from '../ipc/bindings';

export interface StageContext {
  trace: Trace;
  /** The verdict on the expected memory, when one was chosen. */
  verdict: VerdictView | null;
  /** The block that would reach the agent. */
  context: Pick<ContextView, 'tokens' | 'budget'> | null;
}

/** How the expected memory passed one gate. */
export function gateOf(verdict: VerdictView | null, name: string): GateView | undefined {
  return verdict?.gates.find((gate) => gate.name === name);
}
