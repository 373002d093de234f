/**
 * A toy of the pipeline, faithful in shape and arithmetic: lists, ranks and sums fit together, so
 * that the X-ray's own checks hold on it. Similarities are word overlaps, not embeddings.
 */
import type {
  Constants,
  ExpandedWord,
  MemoryView,
  Mode,
  RoutedTerm,
  ScoreTerm,
  StageItem,
  StageTrace,
  Trace,
} from '../bindings';
import { expanded, sharedWords, sumOf } from './sparse';

const STOP = new Set([
  'how',
  'did',
  'we',
  'the',
  'in',
  'a',
  'of',
  'is',
  'what',
  'to',
  'and',
  'does',
  'when',
  'for',
]);

type Leg = 'knn' | 'bm25' | 'sparse';

/** One memory's raw scores for a query. */
export interface Raw {
  id: string;
  content: string;
  /** When it happened, in milliseconds; null is unknown. */
  at: number | null;
  pinned: boolean;
  kind: string;
  cosine: number;
  bm25: number;
  sparse: number;
  reranker: number;
}

/** What a query found before any constant had a say. */
export interface Found {
  raw: Raw[];
  terms: RoutedTerm[];
  expansion: ExpandedWord[];
}

export function words(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_@.]+/gu) ?? [];
}

function noise(text: string): number {
  let hash = 2166136261;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  return (hash >>> 0) / 4294967296;
}

/** Half-way between the scores at two neighbouring places of a list, so that it comes in between. */
function between(scores: number[], place: number): number {
  const sorted = scores.sort((a, b) => b - a);
  return ((sorted[place - 2] ?? 0) + (sorted[place - 1] ?? 0)) / 2;
}

/**
 * The memory m1 is missed whenever it matches a query at all: its words rank 9th, its meaning 63rd
 * (beyond the cutoff of 40), and the reranker that never reads it would put it first.
 */
function plantMiss(raw: Raw[]): void {
  const planted = raw.find((one) => one.id === 'm1' && one.bm25 > 0);
  const others = raw.filter((one) => one !== planted);
  if (!planted || others.length < 100) return;
  planted.bm25 = between(
    others.map((one) => one.bm25),
    9,
  );
  planted.cosine = between(
    others.map((one) => one.cosine),
    63,
  );
  planted.reranker = 0.91;
}

/** Scores every memory for a query. */
export function score(query: string, memories: MemoryView[]): Found {
  const asked = [...new Set(words(query))];
  const content = memories.map((memory) => new Set(words(memory.content)));
  const df = new Map(asked.map((term) => [term, content.filter((set) => set.has(term)).length]));
  const expansion = expanded(
    asked.filter((term) => !STOP.has(term)),
    (word) => content.filter((set) => set.has(word)).length,
    memories.length,
  );
  const raw = memories.map((memory, index) => {
    const set = content[index] ?? new Set<string>();
    let bm25 = 0;
    let overlap = 0;
    for (const term of asked) {
      if (STOP.has(term) || !set.has(term)) continue;
      overlap += 1;
      bm25 += Math.log(1 + memories.length / ((df.get(term) ?? 0) + 0.5)) * (1.4 - set.size / 120);
    }
    const cosine = Math.min(0.95, 0.22 + 0.11 * overlap + 0.24 * noise(query + memory.card.id));
    const reranker = Math.min(0.89, 0.15 + 0.14 * overlap + 0.2 * noise(memory.card.id + query));
    return {
      id: memory.card.id,
      content: memory.content,
      at: memory.card.created_at ? Date.parse(memory.card.created_at) : null,
      pinned: memory.card.pinned,
      kind: memory.card.kind,
      cosine,
      bm25,
      sparse: sumOf(sharedWords(expansion, words(memory.content))),
      reranker,
    };
  });
  plantMiss(raw);
  const terms = asked.map<RoutedTerm>((text) => {
    const stop = STOP.has(text);
    const unspaced = /[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/u.test(text);
    return {
      text,
      kind: stop
        ? 'stop_word'
        : unspaced
          ? 'unspaced'
          : /[_@./]/.test(text)
            ? 'identifier'
            : 'word',
      routes: stop
        ? ['ignored']
        : unspaced
          ? [text.length < 3 ? 'substring' : 'trigram']
          : ['word'],
      excluded: false,
      required: false,
      matched: df.get(text) ?? 0,
      why: stop ? 'too common to count' : unspaced ? 'a script without spaces' : 'a plain word',
    };
  });
  return { raw, terms, expansion };
}

function byScore(a: StageItem, b: StageItem): number {
  return b.score - a.score || Number(a.id.slice(1)) - Number(b.id.slice(1));
}

function ranked(items: StageItem[]): StageItem[] {
  return [...items].sort(byScore).map((item, index) => ({ ...item, rank: index + 1 }));
}

function item(id: string, score: number, terms: ScoreTerm[]): StageItem {
  return { id, rank: 0, score, terms, dropped: null, reranked: false, undecayed: null };
}

function cut(items: StageItem[], keep: number): StageItem[] {
  return items.map((one) => (one.rank > keep ? { ...one, dropped: 'cutoff' } : one));
}

const kept = (items: StageItem[]) => items.filter((one) => one.dropped === null);

function normalised(items: StageItem[], least?: number): Map<string, number> {
  const scores = items.map((one) => one.score);
  const low = least ?? Math.min(...scores);
  const span = Math.max(...scores) - low;
  return new Map(items.map((one) => [one.id, span > 0 ? (one.score - low) / span : 1]));
}

/** Everything from the cutoffs on: a pure function of the raw scores and the constants. */
export function arrange(
  query: string,
  mode: Mode,
  { raw, terms, expansion }: Found,
  constants: Constants,
  now: string,
  scored: (id: string) => boolean,
): Trace {
  const candidates = Math.max(constants.candidates, 4 * constants.results);
  const useKnn = mode !== 'lexical' && constants.knn_weight > 0;
  const useBm25 = mode !== 'semantic' && constants.bm25_weight > 0;
  const isHybrid = mode === 'hybrid' || mode === 'auto';
  const useSparse = isHybrid && constants.sparse_weight > 0;
  const byId = new Map(raw.map((one) => [one.id, one]));
  const knn = useKnn
    ? cut(
        ranked(raw.map((one) => item(one.id, one.cosine, [{ name: 'cosine', value: one.cosine }]))),
        candidates,
      )
    : [];
  const matching = raw.filter((one) => one.bm25 > 0);
  const bm25 = useBm25
    ? cut(
        ranked(
          matching.map((one) => item(one.id, one.bm25, [{ name: 'word_bm25', value: one.bm25 }])),
        ),
        candidates,
      )
    : [];

  const sharing = raw.filter((one) => one.sparse > 0);
  const sparse = useSparse
    ? cut(
        ranked(
          sharing.map((one) =>
            item(one.id, one.sparse, [{ name: 'shared_words', value: one.sparse }]),
          ),
        ),
        candidates,
      )
    : [];

  const parts = new Map<string, Record<Leg, number>>();
  const total =
    (useKnn ? constants.knn_weight : 0) +
    (useBm25 ? constants.bm25_weight : 0) +
    (useSparse ? constants.sparse_weight : 0);
  const add = (list: StageItem[], leg: Leg, weight: number) => {
    const least = leg === 'knn' ? -1 : 0;
    const norm = normalised(
      kept(list),
      constants.convex_bounds === 'theoretical' ? least : undefined,
    );
    for (const one of kept(list)) {
      const part = parts.get(one.id) ?? { knn: 0, bm25: 0, sparse: 0 };
      part[leg] =
        constants.fusion === 'rrf'
          ? weight / (constants.rrf_k + one.rank)
          : (weight / total) * (norm.get(one.id) ?? 0);
      parts.set(one.id, part);
    }
  };
  add(knn, 'knn', constants.knn_weight);
  add(bm25, 'bm25', constants.bm25_weight);
  add(sparse, 'sparse', constants.sparse_weight);
  const fusion = ranked(
    [...parts].map(([id, part]) =>
      item(id, part.knn + part.bm25 + part.sparse, [
        { name: 'knn_part', value: part.knn },
        { name: 'bm25_part', value: part.bm25 },
        ...(useSparse ? [{ name: 'sparse_part' as const, value: part.sparse }] : []),
      ]),
    ),
  );
  const clock = Date.parse(now);
  const ageDays = (one: Raw) => (one.at === null ? 0 : Math.max(0, (clock - one.at) / 86_400_000));
  const byKind = new Map(
    constants.half_life_by_kind.split(',').map((rule) => rule.split(':') as [string, string]),
  );
  const undecayed = (one: Raw): StageItem['undecayed'] => {
    if (one.pinned) return 'pinned';
    if (byKind.get(one.kind) === 'evergreen') return 'kind';
    return one.at === null ? 'unknown' : one.at > clock ? 'future' : null;
  };
  const decay = ranked(
    fusion.map((one) => {
      const source = byId.get(one.id) as Raw;
      const why = undecayed(source);
      const own = Number(byKind.get(source.kind));
      const halfLife = own || constants.half_life_days;
      const { decay_floor: floor } = constants;
      const value = why ? 1 : floor + (1 - floor) * 0.5 ** (ageDays(source) / halfLife);
      const aged: ScoreTerm[] = why ? [] : [{ name: 'age_days', value: ageDays(source) }];
      if (!why && own) aged.push({ name: 'half_life_days', value: own });
      const terms = [...one.terms, { name: 'decay_factor' as const, value }, ...aged];
      // Nothing was said twice here, but what is pinned counts as said eight times.
      const said = source.pinned ? 8 : 1;
      const lifts = 1 + constants.authority * Math.log2(said);
      if (lifts !== 1) terms.push({ name: 'authority_factor', value: lifts });
      if (said > 1) terms.push({ name: 'times_said', value: said });
      return { ...item(one.id, one.score * value * lifts, terms), undecayed: why };
    }),
  );
  const off = constants.rerank === 'off' || constants.rerank_window === 0;
  const window = off ? decay : decay.slice(0, constants.rerank_window);
  const norm = normalised(window);
  const reranked = off
    ? decay
    : [
        ...ranked(
          window.map((one) => {
            const fused = norm.get(one.id) ?? 0;
            const source = byId.get(one.id) as Raw;
            if (!scored(one.id))
              return item(one.id, fused, [{ name: 'fused_normalised', value: fused }]);
            const value =
              constants.rerank_blend * source.reranker + (1 - constants.rerank_blend) * fused;
            return {
              ...item(one.id, value, [
                { name: 'reranker', value: source.reranker },
                { name: 'fused_normalised', value: fused },
              ]),
              reranked: true,
            };
          }),
        ),
        ...decay
          .slice(constants.rerank_window)
          .map<StageItem>((one) => ({ ...one, terms: [], dropped: 'cutoff' })),
      ];
  const select = cut(
    kept(reranked).map((one, index) => ({ ...one, rank: index + 1, terms: [] })),
    constants.results,
  );
  const stage = (
    name: StageTrace['name'],
    elapsed_ms: number,
    count_in: number,
    items: StageItem[],
    notes: string[],
  ): StageTrace => ({
    name,
    status: 'ok',
    reason: null,
    notes,
    elapsed_ms,
    in: count_in,
    out: kept(items).length,
    items: items.slice(0, 120),
  });
  const shared = [...parts.values()].filter(
    (part) => Object.values(part).filter((value) => value > 0).length > 1,
  ).length;
  const skipped = (
    part: StageTrace,
    used: boolean,
    reason = 'switched off by the mode or a weight of 0',
  ): StageTrace => (used ? part : { ...part, status: 'skipped', reason });
  return {
    query,
    now,
    mode,
    effective_mode: mode === 'auto' ? 'hybrid' : mode,
    query_kind: terms.some((term) => term.kind === 'identifier') ? 'technical' : 'conceptual',
    terms,
    expansion: useSparse ? expansion : [],
    level: off ? 'no_rerank' : 'full',
    constants,
    model: { id: 'all-MiniLM-L6-v2/int8', dimension: 384 },
    index_epoch: 7,
    searchable: raw.length,
    lanes: { memory_lookup: null, documents: null },
    stages: [
      {
        ...stage(
          'route',
          0.1,
          1,
          [],
          [
            `${terms.filter((term) => term.kind !== 'stop_word').length} words to the word index, none to trigram`,
          ],
        ),
        out: Number(useKnn) + Number(useBm25) + Number(useSparse),
      },
      skipped(
        stage('knn', 1.6, raw.length, knn, [`nearest ${candidates} of ${raw.length}`]),
        useKnn,
      ),
      skipped(
        stage('bm25', 2.3, matching.length, bm25, [
          `${matching.length} memories contain a word of the query`,
        ]),
        useBm25,
      ),
      skipped(
        stage('sparse', useSparse ? 4.1 : 0, useSparse ? sharing.length : 0, sparse, []),
        useSparse,
        isHybrid ? 'its weight is 0' : `the mode is ${mode}`,
      ),
      stage('fusion', 0.02, fusion.length, fusion, [`${shared} memories in more than one list`]),
      stage('decay', 0.01, fusion.length, decay, [
        `half-life ${constants.half_life_days} d, floor ${constants.decay_floor}`,
      ]),
      skipped(
        stage(
          'rerank',
          off ? 0 : 7.9,
          decay.length,
          reranked,
          off ? [] : [`late interaction reads the best ${window.length}`],
        ),
        !off,
      ),
      stage('select', 0.4, kept(reranked).length, select, [`${kept(select).length} returned`]),
    ],
    results: kept(select).map((one) => one.id),
  };
}
