/** The invented core's sweeps: one constant or several, and the half that is held out. */
import type {
  AblationView,
  Constants,
  DifferenceView,
  HeldOutView,
  ScoresView,
  SweepView,
  TrialsRequest,
  TrialsView,
  TrialView,
} from '../bindings';

/** Judged queries with their scores under any constants. */
export type Lab = readonly {
  id: string;
  text: string;
  scores: (constants: Constants) => ScoresView;
}[];

const KEYS = ['success_5', 'mrr_10', 'ndcg_10', 'recall_10'] as const;

/** Fewer queries than this hold none out, as in the core. */
const ENOUGH = 12;

function mean(all: readonly ScoresView[]): ScoresView {
  const sum: ScoresView = { success_5: 0, mrr_10: 0, ndcg_10: 0, recall_10: 0 };
  for (const one of all) for (const key of KEYS) sum[key] += one[key] / all.length;
  return sum;
}

function halves(lab: Lab): { choosing: Lab; heldOut: Lab; needed: number } {
  if (lab.length < ENOUGH) return { choosing: lab, heldOut: [], needed: ENOUGH - lab.length };
  return {
    choosing: lab.filter((_, at) => at % 2 === 0),
    heldOut: lab.filter((_, at) => at % 2 === 1),
    needed: 0,
  };
}

const vague = (difference: number, more: number): DifferenceView => ({
  mean: difference,
  low: difference - 0.08,
  high: difference + 0.08,
  p: 0.3,
  verdict: 'cannot_tell',
  more,
});

const under = (lab: Lab, constants: Constants) => mean(lab.map((one) => one.scores(constants)));

const ablationsOf = (constants: Constants): [string, Constants][] => [
  ['keywords_only', { ...constants, knn_weight: 0, sparse_weight: 0 }],
  ['vectors_only', { ...constants, bm25_weight: 0, sparse_weight: 0 }],
  ['no_decay', { ...constants, decay_floor: 1 }],
  ['no_rerank', { ...constants, rerank: 'off' }],
];

export function heldOutOf(lab: Lab, present: Constants, chosen: Constants): HeldOutView | null {
  const { heldOut } = halves(lab);
  if (heldOut.length === 0) return null;
  const [old, next] = [under(heldOut, present), under(heldOut, chosen)];
  return {
    queries: heldOut.length,
    present: old,
    chosen: next,
    difference: vague(next.ndcg_10 - old.ndcg_10, 42),
  };
}

/** Values of a constant around the present one. */
function ladder(current: number, steps: number): number[] {
  // Shares end at 1; weights, which start there, go on.
  const last = current > 1 ? current * 3 : current === 1 ? 2 : 1;
  return Array.from(
    { length: steps + 1 },
    (_, at) => Math.round((last * at * 100) / steps) / 100,
  ).filter((value) => value > 0);
}

export function sweepOf(lab: Lab, constant: string, constants: Constants): SweepView {
  const { choosing, needed } = halves(lab);
  const current = constants[constant as keyof Constants] as number;
  const points = [...new Set([...ladder(current, 12), current])]
    .sort((a, b) => a - b)
    .map((value) => {
      const scores = under(choosing, { ...constants, [constant]: value });
      const spread = 0.09;
      return {
        value,
        scores,
        low: Math.max(0, scores.ndcg_10 - spread),
        high: Math.min(1, scores.ndcg_10 + spread),
      };
    });
  const top = Math.max(...points.map((point) => point.scores.ndcg_10));
  const away = (value: number) => Math.abs(value - current);
  const best = points
    .filter((point) => point.scores.ndcg_10 > top - 1e-9)
    .reduce((held, point) => (away(point.value) < away(held.value) ? point : held));
  return {
    constant,
    current,
    best: best.value,
    difference: vague(best.scores.ndcg_10 - under(choosing, constants).ndcg_10, 21),
    queries: lab.length,
    choosing: choosing.length,
    needed,
    held_out:
      best.value === current
        ? null
        : heldOutOf(lab, constants, { ...constants, [constant]: best.value }),
    points,
    ablations: ablationsOf(constants).map(
      ([name, changed]): AblationView => ({ name, scores: under(choosing, changed) }),
    ),
    unread: 0,
  };
}

export function trialsOf(lab: Lab, request: TrialsRequest): TrialsView {
  const { choosing, needed } = halves(lab);
  const present = request.constants as Constants;
  const own = (constants: Constants) =>
    request.axes.map((axis) => constants[axis as keyof Constants] as number);
  // Spread evenly without being a grid: the fractional parts of multiples of irrational numbers.
  const drawn = Array.from({ length: request.count }, (_, at) =>
    Object.fromEntries(
      request.axes.map((axis, which) => {
        const values = ladder(present[axis as keyof Constants] as number, 12);
        const part = ((at + request.seed) * Math.sqrt(2 + which * 3)) % 1;
        return [axis, values[Math.floor(part * values.length)]];
      }),
    ),
  );
  const plan: [string | null, Constants][] = [
    ['present', present],
    ...ablationsOf(present),
    ...drawn.map((values): [null, Constants] => [null, { ...present, ...values }]),
  ];
  const trials = plan
    .map(([name, constants], number): [number, string | null, Constants] => [
      number,
      name,
      constants,
    ])
    .slice(request.skip, request.skip + request.take)
    .map(([number, name, constants]): TrialView => {
      const scores = choosing.map((one) => one.scores(constants));
      const all = mean(scores);
      const reads = constants.rerank === 'off' ? 0 : constants.rerank_window;
      return {
        number,
        name,
        values: own(constants),
        constants,
        scores: all,
        low: Math.max(0, all.ndcg_10 - 0.09),
        high: Math.min(1, all.ndcg_10 + 0.09),
        ms: 6 + 2.1 * reads,
        ndcg: scores.map((one) => one.ndcg_10),
      };
    });
  return {
    total: plan.length,
    trials,
    queries: choosing.map(({ id, text }) => ({ id, text })),
    needed,
    unread: 0,
  };
}
