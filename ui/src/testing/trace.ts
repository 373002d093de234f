/** A small trace with invented numbers that add up, for tests. */

import type {
  Constants,
  ExpandedWord,
  QueryView,
  Stage,
  StageItem,
  StageTrace,
  Trace,
} from '../ipc/bindings';
import { STANDARD } from '../ipc/fake/constants';
import { LEGS, type Leg, PART_OF } from '../trace/model';

export { STANDARD };

export interface Candidate {
  id: string;
  /** Rank in the semantic leg, if any. */
  knn?: number;
  /** Rank in the keyword leg, if any. */
  bm25?: number;
  /** Rank in the sparse leg, if any; it counts where `sparse_weight` is above 0. */
  sparse?: number;
  /** Days. */
  age?: number;
  /** As how often said it counts. */
  said?: number;
  /** The reranker's score. */
  reranker?: number;
}

const part = (name: Stage, items: StageItem[], extra: Partial<StageTrace> = {}): StageTrace => ({
  name,
  status: 'ok',
  reason: null,
  notes: [],
  elapsed_ms: 1,
  in: items.length,
  out: items.filter((item) => item.dropped === null).length,
  items,
  ...extra,
});

function ranked(scored: Array<Omit<StageItem, 'rank'>>, cut: number): StageItem[] {
  return scored
    .sort((a, b) => b.score - a.score || a.id.localeCompare(b.id))
    .map((item, index) => ({
      ...item,
      rank: index + 1,
      dropped: item.dropped ?? (index < cut ? null : 'cutoff'),
    }));
}

const TERM = { knn: 'cosine', bm25: 'word_bm25', sparse: 'shared_words' } as const;

/** The question's words as a sparse model might see them. */
const EXPANSION: ExpandedWord[] = [
  { word: 'unpack', weight: 1.5, rarity: 2, typed: true },
  { word: 'mended', weight: 0.8, rarity: 2.5, typed: false },
  { word: 'repair', weight: 0.9, rarity: 2, typed: false },
  { word: 'fix', weight: 1, rarity: 1, typed: true },
];

/** The trace as it was stored before there was a sparse stage. */
export function beforeSparse(trace: Trace): Trace {
  const stages = trace.stages.filter(({ name }) => name !== 'sparse');
  return { ...trace, stages, expansion: [] };
}

/** Runs the pipeline's arithmetic over a handful of candidates, as the core does. */
export function traceOf(candidates: Candidate[], changes: Partial<Constants> = {}): Trace {
  const constants = { ...STANDARD, ...changes };
  const uses = (key: Leg) => key !== 'sparse' || constants.sparse_weight > 0;
  const leg = (key: Leg): StageItem[] =>
    candidates
      .filter((c) => c[key] !== undefined && uses(key))
      .sort((a, b) => (a[key] ?? 0) - (b[key] ?? 0))
      .map((c) => {
        const rank = c[key] ?? 0;
        const score = key === 'knn' ? 1 - rank / 100 : 20 - rank / 10;
        return {
          id: c.id,
          rank,
          score,
          terms: [{ name: TERM[key], value: score }],
          dropped: rank <= constants.candidates ? null : 'cutoff',
          reranked: false,
          undecayed: null,
        };
      });
  const counted = (c: Candidate, key: Leg) => {
    const rank = c[key];
    return rank !== undefined && uses(key) && rank <= constants.candidates ? rank : null;
  };
  const fusion = ranked(
    candidates
      .filter((c) => LEGS.some((key) => counted(c, key) !== null))
      .map((c) => {
        const terms = LEGS.filter(uses).map((key) => {
          const rank = counted(c, key);
          const value = rank === null ? 0 : constants[`${key}_weight`] / (constants.rrf_k + rank);
          return { name: PART_OF[key], value };
        });
        return {
          id: c.id,
          score: terms.reduce((sum, term) => sum + term.value, 0),
          terms,
          dropped: null,
          reranked: false,
          undecayed: null,
        };
      }),
    Number.POSITIVE_INFINITY,
  );
  const decay = ranked(
    fusion.map((item) => {
      const age = candidates.find((c) => c.id === item.id)?.age ?? 0;
      const factor =
        constants.decay_floor +
        (1 - constants.decay_floor) * 0.5 ** (age / constants.half_life_days);
      const said = candidates.find((c) => c.id === item.id)?.said ?? 1;
      const lifts = 1 + constants.authority * Math.log2(said);
      return {
        ...item,
        score: item.score * factor * lifts,
        terms: [
          { name: 'decay_factor' as const, value: factor },
          { name: 'age_days' as const, value: age },
          ...(lifts === 1 ? [] : [{ name: 'authority_factor' as const, value: lifts }]),
          ...(said === 1 ? [] : [{ name: 'times_said' as const, value: said }]),
        ],
      };
    }),
    constants.rerank_window,
  );
  const window = decay.filter((item) => item.dropped === null);
  const scores = window.map((item) => item.score);
  const low = Math.min(...scores);
  const span = Math.max(...scores) - low;
  const rerank = ranked(
    window.map((item) => {
      const reranker = candidates.find((c) => c.id === item.id)?.reranker ?? 0;
      const normalised = span === 0 ? 1 : (item.score - low) / span;
      const blend = constants.rerank_blend;
      return {
        ...item,
        score: blend * reranker + (1 - blend) * normalised,
        reranked: true,
        terms: [
          { name: 'reranker' as const, value: reranker },
          { name: 'fused_normalised' as const, value: normalised },
        ],
      };
    }),
    Number.POSITIVE_INFINITY,
  );
  const select = ranked(
    rerank.map((item) => ({ ...item, terms: [] })),
    constants.results,
  );
  return {
    query: 'how did we fix the unpack error in the payment gateway?',
    now: '2026-03-02T09:00:00Z',
    mode: 'hybrid',
    effective_mode: 'hybrid',
    query_kind: 'technical',
    terms: [
      {
        text: 'fix',
        kind: 'word',
        routes: ['word'],
        excluded: false,
        required: false,
        matched: 4120,
        why: '',
      },
      {
        text: 'the',
        kind: 'stop_word',
        routes: ['ignored'],
        excluded: false,
        required: false,
        matched: null,
        why: '',
      },
      {
        text: 'unpack',
        kind: 'word',
        routes: ['word'],
        excluded: false,
        required: false,
        matched: 11,
        why: '',
      },
      {
        text: 'gateway',
        kind: 'word',
        routes: ['word'],
        excluded: false,
        required: false,
        matched: 208,
        why: '',
      },
    ],
    expansion: uses('sparse') ? EXPANSION : [],
    level: 'full',
    constants,
    model: { id: 'all-MiniLM-L6-v2/int8', dimension: 384 },
    index_epoch: 7,
    searchable: 41872,
    stages: [
      part('route', [], { in: 1, out: 2 }),
      part('knn', leg('knn'), { in: 41872 }),
      part('bm25', leg('bm25'), { in: 296 }),
      part(
        'sparse',
        leg('sparse'),
        uses('sparse') ? { in: 52 } : { status: 'skipped', reason: 'its weight is 0' },
      ),
      part('fusion', fusion),
      part('decay', decay),
      part('rerank', rerank),
      part('select', select),
    ],
    results: select.filter((item) => item.dropped === null).map((item) => item.id),
    lanes: { memory_lookup: null, documents: null },
  };
}

/** A whole answer around a trace. */
export function viewOf(trace: Trace): QueryView {
  return {
    recall: 'r1',
    trace,
    beside: '',
    lists: {},
    unscored: 0,
    cards: {},
    context: {
      block: '',
      tokens: 0,
      research_tokens: 0,
      budget: trace.constants.token_budget,
      naive_tokens: 0,
      entries: [],
    },
    lanes: null,
  };
}
