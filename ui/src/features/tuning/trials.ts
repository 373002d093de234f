/**
 * Several constants at once, a few combinations at a time: what has been measured is kept when the
 * person stops, and going on starts where it stopped.
 */
import type { Backend } from '../../ipc/backend';
import type { Constants, TrialMethod, TrialQuery, TrialView } from '../../ipc/bindings';
import { named, xray } from '../../locales/en/xray';
import { type Numeric, shown } from '../../words/constants';

export interface Plan {
  axes: readonly Numeric[];
  method: TrialMethod;
  count: number;
  seed: number;
  constants: Constants;
  now: string | null;
}

export interface Trials {
  plan: Plan;
  total: number;
  trials: TrialView[];
  queries: TrialQuery[];
  needed: number;
  unread: number;
}

type Port = Pick<Backend, 'trials'>;

/** Combinations that are asked for together: few enough that stopping is prompt. */
const PIECE = 4;

/** Measures the next piece; null when there is none left. */
export async function measurePiece(
  port: Port,
  plan: Plan,
  held: Trials | null,
): Promise<Trials | null> {
  const done = held?.trials.length ?? 0;
  if (held && done >= held.total) return null;
  const view = await port.trials({
    ...plan,
    axes: [...plan.axes],
    skip: done,
    take: PIECE,
  });
  // A piece without trials would be asked for again and again.
  if (view.trials.length === 0) return null;
  return {
    plan,
    total: view.total,
    trials: [...(held?.trials ?? []), ...view.trials],
    queries: view.queries,
    needed: view.needed,
    unread: (held?.unread ?? 0) + view.unread,
  };
}

/** A constant as the sliders call it. */
export const constantName = (constant: Numeric) => named(xray.sliders.names, constant);

/** How a trial is called: its part that is missing, or the values of what moves. */
export function nameOf(trial: TrialView, axes: readonly Numeric[]): string {
  if (trial.name !== null) return named(xray.sweepMany.names, trial.name);
  return axes
    .map((axis, at) => `${constantName(axis)} ${shown(axis, trial.values[at] ?? 0)}`)
    .join(', ');
}

const score = (trial: TrialView) => trial.scores.ndcg_10;

/** The best one; the present constants where nothing is better, the faster one among equals. */
export function bestOf(trials: readonly TrialView[]): TrialView | null {
  let best: TrialView | null = null;
  for (const trial of trials) {
    const ahead = best === null ? 1 : score(trial) - score(best);
    const faster = best !== null && best.name !== 'present' && trial.ms < best.ms;
    if (ahead > 1e-9 || (Math.abs(ahead) <= 1e-9 && faster)) best = trial;
  }
  return best;
}

/** Best first; among equals the faster one. */
export function ranked(trials: readonly TrialView[]): TrialView[] {
  return [...trials].sort((a, b) => score(b) - score(a) || a.ms - b.ms);
}

/** Of what costs less than the best by a fifth or more, the best. */
export function bargain(trials: readonly TrialView[], best: TrialView): TrialView | null {
  return bestOf(trials.filter((trial) => trial.ms <= 0.8 * best.ms));
}

export interface QueryChange {
  id: string;
  text: string;
  change: number;
}

/** What a trial does to each query against the present constants, the greatest gain first. */
export function changes(
  trial: TrialView,
  present: TrialView,
  queries: readonly TrialQuery[],
): QueryChange[] {
  return queries
    .map(({ id, text }, at) => ({
      id,
      text,
      change: (trial.ndcg[at] ?? 0) - (present.ndcg[at] ?? 0),
    }))
    .sort((a, b) => b.change - a.change);
}
