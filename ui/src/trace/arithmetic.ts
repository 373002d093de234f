/**
 * Rebuilds a memory's score from its parts and compares every step with the engine's own number.
 *
 * rank fusion  s = Σ w/(k + r) over the legs   (or the sum of the weighted normalised scores)
 * neighbours   s + ν · the better neighbour's s
 * decay        s · m · u, u what having been said again gives
 * rerank       β · reranker · λ + (1 − β) · s normalised over the window, λ what a text's length
 *              leaves of what was read; below the window ½ · s / s₁ − 1
 * select       the reranked score, or λ · relevance − (1 − λ) · redundancy under MMR
 */
import type { Constants, Stage, StageItem, Trace } from '../ipc/bindings';
import { xray } from '../locales/en/xray';
import { isBelowWindow, itemOf, LEGS, type Leg, PART_OF, ranIn, stageOf, termOf } from './model';

/** Sums that differ by less than this are the same sum: doubles, added in another order. */
export const TOLERANCE = 1e-9;

export type StepKind =
  | 'knn_part'
  | 'bm25_part'
  | 'sparse_part'
  | 'neighbour_part'
  | 'fused'
  | 'decay'
  | 'authority'
  | 'reranker'
  | 'normalised'
  | 'below_window'
  | 'relevance'
  | 'redundancy'
  | 'final';

/** One bar of the waterfall. */
export interface Step {
  kind: StepKind;
  /** How the value enters: added, multiplied, subtracted, or a total reached here. */
  op: 'add' | 'multiply' | 'subtract' | 'total';
  /** The value itself: a summand, a factor or a total. */
  value: number;
  /** The part it has in the running sum: equal to `value` for summands. */
  from: number;
  to: number;
  /** How the value came about, in the numbers in force, e.g. "1 / (60 + 9)". */
  formula: string;
}

/** A stage's number, computed here and by the engine. */
export interface Check {
  stage: Stage;
  computed: number;
  engine: number;
  delta: number;
  ok: boolean;
}

export interface Waterfall {
  steps: Step[];
  checks: Check[];
  /** True when every check holds and there is at least one. */
  reproduces: boolean;
  /** The largest difference found. */
  delta: number;
  /** The score after the last stage that still held the memory. */
  score: number | null;
}

const short = (value: number) => String(Number(value.toPrecision(4)));

function check(stage: Stage, computed: number, engine: number): Check {
  const delta = Math.abs(computed - engine);
  return { stage, computed, engine, delta, ok: Number.isFinite(delta) && delta < TOLERANCE };
}

/** The rank that counts for fusion: none when the leg cut the memory off. */
function countedRank(trace: Trace, leg: Leg, id: string): number | null {
  const item = itemOf(trace, leg, id);
  return item && item.dropped === null ? item.rank : null;
}

function byRankFormula(constants: Constants, weight: number, rank: number | null): string {
  return rank === null ? '' : `${short(weight)} / (${short(constants.rrf_k)} + ${rank})`;
}

/** Where a leg's scale begins and ends under the convex combination. */
function scaleOf(trace: Trace, leg: Leg): [number, number] {
  const scores = stageOf(trace, leg)
    .items.filter((item) => item.dropped === null)
    .map((item) => item.score);
  const least = leg === 'knn' ? -1 : 0;
  const low =
    trace.constants.convex_bounds === 'theoretical'
      ? Math.min(least, ...scores)
      : Math.min(...scores);
  return [low, Math.max(...scores)];
}

/** The leg's share of all weights that took part, times the score on the leg's own scale. */
function convexPart(trace: Trace, leg: Leg, id: string): { value: number; formula: string } | null {
  const item = itemOf(trace, leg, id);
  if (!item || item.dropped !== null) return null;
  const weights = LEGS.filter((name) => ranIn(trace, name)).map(
    (name) => trace.constants[`${name}_weight`],
  );
  const share = trace.constants[`${leg}_weight`] / weights.reduce((sum, one) => sum + one, 0);
  const [low, high] = scaleOf(trace, leg);
  if (high <= low) return { value: share, formula: short(share) };
  const signed = (value: number) => (value < 0 ? `(${short(value)})` : short(value));
  return {
    value: (share * (item.score - low)) / (high - low),
    formula: `${short(share)} × (${short(item.score)} − ${signed(low)}) / (${short(high)} − ${signed(low)})`,
  };
}

/** The share of one leg, from rank and constants where fusion is by rank, as given otherwise. */
function legPart(trace: Trace, item: StageItem, leg: Leg): { value: number; formula: string } {
  const constants = trace.constants;
  const weight = constants[`${leg}_weight`];
  const given = termOf(item.terms, PART_OF[leg]) ?? 0;
  const rank = countedRank(trace, leg, item.id);
  if (given === 0) return { value: 0, formula: '' };
  if (constants.fusion === 'convex') {
    const part = convexPart(trace, leg, item.id);
    const right = part !== null && Math.abs(part.value - given) < TOLERANCE;
    return right ? part : { value: given, formula: `${short(weight)} × normalised` };
  }
  const recomputed = rank === null ? given : weight / (constants.rrf_k + rank);
  // A leg that abstains for this query keeps its list but gives nothing or less: the engine's own
  // part stands then, and the sum is still checked.
  const agrees = Math.abs(recomputed - given) < TOLERANCE;
  return { value: agrees ? recomputed : given, formula: byRankFormula(constants, weight, rank) };
}

/** What the better of its neighbours in the session gives: a share of that one's own points. */
function neighbourPart(
  { neighbour_share: share }: Constants,
  item: StageItem,
): { value: number; formula: string } {
  const value = termOf(item.terms, 'neighbour_part') ?? 0;
  return { value, formula: value === 0 ? '' : `${short(share)} × ${short(value / share)}` };
}

/** The half-life that a row of decay's list ages by, in days. */
export function halfLifeOf(constants: Constants, decayed: StageItem): number {
  return termOf(decayed.terms, 'half_life_days') ?? constants.half_life_days;
}

/** m(a) = φ + (1 − φ) · ½^(a/h), never below the least factor that the engine knows. */
export function factorOf(age: number, halfLife: number, floor: number): number {
  return Math.max(1e-12, floor + (1 - floor) * 0.5 ** (age / halfLife));
}

/** u(n) = 1 + α · log₂ n: what having been said so often gives. */
export const authorityOf = (said: number, alpha: number): number => 1 + alpha * Math.log2(said);

/** The sum of one memory, step by step, with every stage's check. */
export function waterfall(trace: Trace, id: string): Waterfall {
  const steps: Step[] = [];
  const checks: Check[] = [];
  let score: number | null = null;
  let running = 0;

  const fused = itemOf(trace, 'fusion', id);
  if (fused) {
    const parts = [
      ...LEGS.map((leg) => [PART_OF[leg], legPart(trace, fused, leg)] as const),
      ['neighbour_part', neighbourPart(trace.constants, fused)] as const,
    ];
    for (const [kind, part] of parts) {
      if (part.value === 0) continue;
      steps.push({
        kind,
        op: 'add',
        value: part.value,
        from: running,
        to: running + part.value,
        formula: part.formula,
      });
      running += part.value;
    }
    const sum = parts.reduce((total, [, part]) => total + part.value, 0);
    checks.push(check('fusion', sum, fused.score));
    steps.push({ kind: 'fused', op: 'total', value: sum, from: 0, to: sum, formula: '' });
    running = sum;
    score = fused.score;
  }

  const decayed = itemOf(trace, 'decay', id);
  if (fused && decayed) {
    const factor = termOf(decayed.terms, 'decay_factor') ?? 1;
    const age = termOf(decayed.terms, 'age_days');
    const floor = trace.constants.decay_floor;
    const halfLife = halfLifeOf(trace.constants, decayed);
    // From the age, so that a factor that does not follow from it is noticed.
    const kept = age === undefined ? 1 : factorOf(age, halfLife, floor);
    const product = running * factor;
    const said = termOf(decayed.terms, 'times_said') ?? 1;
    const { authority: alpha } = trace.constants;
    // Likewise from how often it was said.
    const lifts = authorityOf(said, alpha);
    const given = termOf(decayed.terms, 'authority_factor') ?? 1;
    const wrong = Math.abs(kept - factor) >= TOLERANCE || Math.abs(lifts - given) >= TOLERANCE;
    const whole = wrong ? running * kept * lifts : product * given;
    checks.push(check('decay', whole, decayed.score));
    steps.push({
      kind: 'decay',
      op: 'multiply',
      value: factor,
      from: running,
      to: product,
      formula:
        age === undefined
          ? decayed.undecayed
            ? xray.ageing.undecayed[decayed.undecayed]
            : ''
          : `${short(floor)} + ${short(1 - floor)} × ½^(${Number(age.toPrecision(3))} / ${short(halfLife)})`,
    });
    running = product;
    if (given !== 1) {
      steps.push({
        kind: 'authority',
        op: 'multiply',
        value: given,
        from: running,
        to: running * given,
        formula: `1 + ${short(alpha)} × log₂ ${said}`,
      });
      running *= given;
    }
    score = decayed.score;
  }

  const read = itemOf(trace, 'rerank', id);
  if (decayed && read) {
    const reranker = termOf(read.terms, 'reranker');
    const normalised = termOf(read.terms, 'fused_normalised');
    if (reranker !== undefined && normalised !== undefined) {
      const blend = trace.constants.rerank_blend;
      const length = termOf(read.terms, 'length_factor') ?? 1;
      const left = blend * reranker * length;
      const right = (1 - blend) * normalised;
      steps.push({
        kind: 'reranker',
        op: 'add',
        value: left,
        from: 0,
        to: left,
        formula: [blend, reranker, ...(length === 1 ? [] : [length])].map(short).join(' × '),
      });
      steps.push({
        kind: 'normalised',
        op: 'add',
        value: right,
        from: left,
        to: left + right,
        formula: `${short(1 - blend)} × ${short(normalised)}`,
      });
      running = left + right;
      checks.push(check('rerank', running, read.score));
    } else if (normalised !== undefined) {
      // In the window, but not read yet: it counts with a reranker's score of 0.
      const share = 1 - trace.constants.rerank_blend;
      running = share * normalised;
      steps.push({
        kind: 'normalised',
        op: 'add',
        value: running,
        from: 0,
        to: running,
        formula: `${short(share)} × ${short(normalised)}`,
      });
      checks.push(check('rerank', running, read.score));
    } else if (isBelowWindow(read)) {
      // Below the window: decayed order, under everything that was read.
      const best = stageOf(trace, 'decay').items[0]?.score ?? running;
      const place = (0.5 * running) / best - 1;
      steps.push({
        kind: 'below_window',
        op: 'total',
        value: place,
        from: 0,
        to: place,
        formula: `½ × ${short(running)} / ${short(best)} − 1`,
      });
      running = place;
      checks.push(check('rerank', running, read.score));
    } else {
      checks.push(check('rerank', running, read.score));
    }
    score = read.score;
  }

  const chosen = itemOf(trace, 'select', id);
  if (read && chosen) {
    const redundancy = termOf(chosen.terms, 'redundancy');
    if (trace.constants.mmr && redundancy !== undefined) {
      const lambda = trace.constants.mmr_lambda;
      const relevance = termOf(chosen.terms, 'relevance') ?? running;
      const loss = (1 - lambda) * redundancy;
      const value = lambda * relevance - loss;
      steps.push({
        kind: 'relevance',
        op: 'add',
        value: lambda * relevance,
        from: 0,
        to: lambda * relevance,
        formula: `${short(lambda)} × ${short(relevance)}`,
      });
      steps.push({
        kind: 'redundancy',
        op: 'subtract',
        value: loss,
        from: lambda * relevance,
        to: value,
        formula: `${short(1 - lambda)} × ${short(redundancy)}`,
      });
      running = value;
    }
    checks.push(check('select', running, chosen.score));
    score = chosen.score;
  }
  if (score !== null) {
    steps.push({ kind: 'final', op: 'total', value: score, from: 0, to: score, formula: '' });
  }
  const delta = checks.reduce((worst, entry) => Math.max(worst, entry.delta), 0);
  return {
    steps,
    checks,
    reproduces: checks.length > 0 && checks.every((entry) => entry.ok),
    delta,
    score,
  };
}

/** How many results of a trace the arithmetic reproduces. */
export function checkedResults(trace: Trace): { ok: number; of: number } {
  const results = trace.results.map((id) => waterfall(trace, id));
  return { ok: results.filter((entry) => entry.reproduces).length, of: results.length };
}
