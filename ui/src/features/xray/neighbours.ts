/**
 * Why one memory stands above another: the signed difference of every part of their scores, and
 * the value of each constant at which the two would change places.
 */

import type { Constants, Trace } from '../../ipc/bindings';
import { authorityOf, factorOf, waterfall } from '../../trace/arithmetic';
import { itemOf, LEGS, type Leg, termOf } from '../../trace/model';
import { NUMBERS, type Numeric, specOf } from '../../words/constants';

export type Component =
  | 'knn_part'
  | 'bm25_part'
  | 'sparse_part'
  | 'neighbour_part'
  | 'decay'
  | 'authority'
  | 'reranker'
  | 'normalised'
  | 'final';

export interface Difference {
  component: Component;
  /** This memory's number. */
  mine: number;
  /** The other's number. */
  other: number;
  /** Positive: speaks for this memory. */
  delta: number;
}

export interface Swap {
  constant: keyof Constants;
  current: number;
  /** The value at which both score the same; absent when none within the allowed range. */
  at: number | null;
}

const ORDER: readonly Component[] = [
  'knn_part',
  'bm25_part',
  'sparse_part',
  'neighbour_part',
  'decay',
  'authority',
  'reranker',
  'normalised',
  'final',
];

/** Component by component, this memory against the other. Absent parts count as 0, absent factors as 1. */
export function differences(trace: Trace, mine: string, other: string): Difference[] {
  const read = (id: string) => {
    const found = new Map<Component, number>();
    for (const step of waterfall(trace, id).steps) {
      const component = ORDER.find((name) => name === step.kind);
      if (component) found.set(component, step.value);
    }
    return found;
  };
  const a = read(mine);
  const b = read(other);
  return ORDER.filter((component) => a.has(component) || b.has(component)).map((component) => {
    const absent = component === 'decay' || component === 'authority' ? 1 : 0;
    const left = a.get(component) ?? absent;
    const right = b.get(component) ?? absent;
    return { component, mine: left, other: right, delta: left - right };
  });
}

interface Parts {
  /** The place in each leg's list; `null` where it gives nothing. */
  ranks: Record<Leg, number | null>;
  /** `null` when it does not age. */
  age: number | null;
  /** The half-life of its kind, which no slider moves. */
  ownHalfLife: number | null;
  /** As how often said it counts. */
  said: number;
}

function partsOf(trace: Trace, id: string): Parts | null {
  const decayed = itemOf(trace, 'decay', id);
  if (!decayed) return null;
  const rank = (leg: Leg) => {
    const item = itemOf(trace, leg, id);
    return item && item.dropped === null ? item.rank : null;
  };
  return {
    ranks: { knn: rank('knn'), bm25: rank('bm25'), sparse: rank('sparse') },
    age: termOf(decayed.terms, 'age_days') ?? null,
    ownHalfLife: termOf(decayed.terms, 'half_life_days') ?? null,
    said: termOf(decayed.terms, 'times_said') ?? 1,
  };
}

/** The decayed score under other constants; memories that do not age keep all of it. */
function decayed(parts: Parts, constants: Constants): number {
  const { rrf_k: k, decay_floor: floor } = constants;
  const fused = LEGS.reduce((sum, leg) => {
    const rank = parts.ranks[leg];
    return rank === null ? sum : sum + constants[`${leg}_weight`] / (k + rank);
  }, 0);
  const halfLife = parts.ownHalfLife ?? constants.half_life_days;
  const kept = parts.age === null ? 1 : factorOf(parts.age, halfLife, floor);
  return fused * kept * authorityOf(parts.said, constants.authority);
}

function hasNeighbour(trace: Trace, id: string): boolean {
  const fused = itemOf(trace, 'fusion', id);
  return fused !== undefined && termOf(fused.terms, 'neighbour_part') !== undefined;
}

/** What fusion and decay turn on; each is looked at through its whole range. */
const MOVED: readonly Numeric[] = NUMBERS.filter(({ stages }) =>
  stages.some((stage) => stage === 'fusion' || stage === 'decay'),
)
  .map(({ name }) => name)
  .filter((name) => name !== 'neighbour_share');

/** The crossing nearest to `current`, by a coarse scan for a change of sign and bisection. */
export function crossing(
  difference: (value: number) => number,
  lo: number,
  hi: number,
  current: number,
): number | null {
  const at = (step: number) =>
    lo > 0 ? lo * (hi / lo) ** (step / SCAN) : lo + ((hi - lo) * step) / SCAN;
  let best: number | null = null;
  for (let step = 0; step < SCAN; step += 1) {
    let left = at(step);
    let right = at(step + 1);
    const sign = Math.sign(difference(left));
    if (sign === 0 || sign === Math.sign(difference(right))) continue;
    for (let round = 0; round < 60; round += 1) {
      const middle = (left + right) / 2;
      if (Math.sign(difference(middle)) === sign) left = middle;
      else right = middle;
    }
    const found = (left + right) / 2;
    if (best === null || Math.abs(found - current) < Math.abs(best - current)) best = found;
  }
  return best;
}
const SCAN = 400;

/**
 * Where the two would change places. With a reranker the blend decides, computed exactly;
 * without one, each constant of fusion and decay. Convex fusion depends on the whole list, and a
 * neighbour's share on a third memory, so no closed answer exists for such a pair and none is claimed.
 */
export function swaps(trace: Trace, mine: string, other: string): Swap[] {
  const constants = trace.constants;
  const a = itemOf(trace, 'rerank', mine);
  const b = itemOf(trace, 'rerank', other);
  const read = (terms: typeof a) => {
    const reranker = terms && termOf(terms.terms, 'reranker');
    const normalised = terms && termOf(terms.terms, 'fused_normalised');
    if (terms === undefined || reranker === undefined || normalised === undefined) return null;
    return { reranker: reranker * (termOf(terms.terms, 'length_factor') ?? 1), normalised };
  };
  const left = read(a);
  const right = read(b);
  if (left && right) {
    const rerank = left.reranker - right.reranker;
    const fused = left.normalised - right.normalised;
    const at = fused === rerank ? null : fused / (fused - rerank);
    const inside = at !== null && at >= 0 && at <= 1;
    return [{ constant: 'rerank_blend', current: constants.rerank_blend, at: inside ? at : null }];
  }
  const x = partsOf(trace, mine);
  const y = partsOf(trace, other);
  if (!x || !y || constants.fusion !== 'rrf') return [];
  // What a neighbour gives moves with that one's ranks, which the pair alone does not tell.
  if ([mine, other].some((id) => hasNeighbour(trace, id))) return [];
  return MOVED.map((constant) => {
    const current = constants[constant];
    const [lo, hi] = specOf(constant).range;
    const difference = (value: number) => {
      const changed = { ...constants, [constant]: value };
      return decayed(x, changed) - decayed(y, changed);
    };
    return { constant, current, at: crossing(difference, lo, hi, current) };
  });
}
