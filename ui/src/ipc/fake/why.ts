/** The invented core's verdict: gates read off full lists, fixes found by stepping through each range. */
import type { Constants, FixView, GateView, Trace, VerdictView } from '../bindings';

/** Ranks under other constants, lists uncut. */
export type Arrange = (constants: Constants) => Trace;

const RANGES: { constant: keyof Constants; values: number[] }[] = [
  { constant: 'candidates', values: range(10, 300, 1) },
  { constant: 'rrf_k', values: range(0, 200, 2) },
  { constant: 'knn_weight', values: range(0, 4, 0.1) },
  { constant: 'bm25_weight', values: range(0, 4, 0.1) },
  { constant: 'sparse_weight', values: range(0, 4, 0.1) },
  { constant: 'half_life_days', values: range(1, 120, 1) },
  { constant: 'decay_floor', values: range(0, 1, 0.01) },
  { constant: 'authority', values: range(0, 1, 0.01) },
  { constant: 'rerank_window', values: range(0, 100, 1) },
  { constant: 'rerank_blend', values: range(0, 1, 0.02) },
  { constant: 'results', values: range(1, 50, 1) },
];

function range(from: number, to: number, step: number): number[] {
  const count = Math.round((to - from) / step);
  return Array.from({ length: count + 1 }, (_, index) => Number((from + index * step).toFixed(4)));
}

function fix(
  constant: keyof Constants,
  values: number[],
  constants: Constants,
  id: string,
  arrange: Arrange,
): FixView {
  const current = constants[constant] as number;
  const intervals: [number, number][] = [];
  let open: [number, number] | null = null;
  for (const value of values) {
    if (arrange({ ...constants, [constant]: value }).results.includes(id)) {
      if (open === null) {
        open = [value, value];
        intervals.push(open);
      } else open[1] = value;
    } else open = null;
  }
  const ends = intervals.flatMap(([low, high]) =>
    current >= low && current <= high ? [current] : [low, high],
  );
  const nearest =
    ends.length === 0
      ? null
      : ends.reduce((best, end) =>
          Math.abs(end - current) < Math.abs(best - current) ? end : best,
        );
  return {
    constant,
    current,
    intervals,
    nearest,
    gained: intervals.length > 0 ? 1 : 0,
    lost: 0,
    ndcg_delta: null,
  };
}

function gate(
  name: string,
  verdict: GateView['verdict'],
  value: number | null,
  threshold: number | null,
  note: string,
): GateView {
  return {
    name,
    verdict,
    value,
    threshold,
    margin: value === null || threshold === null ? null : threshold - value,
    beyond: false,
    note,
  };
}

function ordinal(n: number): string {
  const tens = n % 100;
  const suffix = tens > 10 && tens < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th');
  return `${n}${suffix}`;
}

/** Why `id` is not among the results of `trace`. */
export function verdict(
  trace: Trace,
  id: string,
  about: {
    trashed: boolean;
    /** What query and memory share in words, as a sentence. */
    shared: string;
    arrange: Arrange;
  },
): VerdictView {
  const { trashed, shared, arrange } = about;
  const constants = trace.constants;
  const inResults = trace.results.includes(id);
  const gates: GateView[] = [];
  let lostAt: string | null = null;
  const lose = (name: string) => {
    lostAt ??= name;
    return 'lost' as const;
  };
  gates.push(gate('stored', 'ok', null, null, 'embedded with the active model'));
  gates.push(
    gate(
      'trash',
      trashed ? lose('trash') : 'ok',
      null,
      null,
      trashed ? 'in the trash' : 'not in the trash',
    ),
  );
  gates.push(gate('scope', lostAt ? 'not_reached' : 'ok', null, null, 'no filter excludes it'));
  let found = false;
  const notFound = { knn: 'beyond rank 120', bm25: 'none of its words match', sparse: shared };
  for (const leg of ['knn', 'bm25', 'sparse'] as const) {
    const part = trace.stages.find((stage) => stage.name === leg);
    const one = part?.items.find((item) => item.id === id);
    const cutoff = Math.max(constants.candidates, 4 * constants.results);
    if (lostAt) gates.push(gate(leg, 'not_reached', null, cutoff, ''));
    else if (leg === 'sparse' && part?.status === 'skipped')
      gates.push(gate(leg, 'not_reached', null, null, `${shared}; ${part.reason}`));
    else if (one) {
      const inside = one.rank <= cutoff;
      found ||= inside;
      gates.push(
        gate(
          leg,
          inside ? 'ok' : 'missed',
          one.rank,
          cutoff,
          `rank ${one.rank}, cutoff ${cutoff}${leg === 'sparse' ? `; ${shared}` : ''}`,
        ),
      );
    } else gates.push(gate(leg, 'missed', null, cutoff, notFound[leg]));
  }
  const limits = {
    fusion: null,
    decay: null,
    rerank: constants.rerank === 'off' ? null : constants.rerank_window,
    select: constants.results,
  };
  for (const [name, limit] of Object.entries(limits)) {
    const source = name === 'rerank' ? 'decay' : name;
    const one = trace.stages
      .find((stage) => stage.name === source)
      ?.items.find((item) => item.id === id);
    if (lostAt) {
      gates.push(
        gate(name, 'not_reached', null, limit, name === 'select' ? 'would be 1st if read' : ''),
      );
    } else if (!found && name === 'fusion') {
      gates.push(gate(name, lose('fusion'), null, null, 'in no list'));
    } else if (one && limit !== null && one.rank > limit) {
      gates.push(
        gate(
          name,
          lose(name),
          one.rank,
          limit,
          `${ordinal(one.rank)}, ${name === 'rerank' ? 'window' : 'results'} ${limit}`,
        ),
      );
    } else {
      gates.push(gate(name, 'ok', one?.rank ?? null, limit, one ? ordinal(one.rank) : ''));
    }
  }
  const lost = gates.find((one) => one.verdict === 'lost');
  const fixes =
    inResults || trashed
      ? []
      : RANGES.map(({ constant, values }) => fix(constant, values, constants, id, arrange));
  return {
    query: trace.query,
    expected: id,
    in_results: inResults,
    lost_at: inResults ? null : lostAt,
    headline: inResults
      ? `Found: ${ordinal(trace.results.indexOf(id) + 1)} of ${trace.results.length}`
      : lostAt === 'rerank'
        ? `Lost at the rerank window: ${ordinal(lost?.value ?? 0)}, and ${lost?.threshold ?? 0} are read`
        : `Lost at ${lostAt ?? 'an unknown gate'}${lost?.note ? `: ${lost.note}` : ''}`,
    gates,
    fixes,
  };
}
