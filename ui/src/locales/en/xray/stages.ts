/** What the eight stages say. */
import { count, listed, ordinal, score } from '../format';
import { memories, results, words } from './counts';

export const stagesWords = {
  stages: {
    strip: 'Stages of the pipeline',
    names: {
      route: 'route',
      knn: 'knn',
      bm25: 'bm25',
      sparse: 'sparse',
      fusion: 'fusion',
      decay: 'decay',
      rerank: 'rerank',
      select: 'select',
    },
    meaning: {
      route: 'Decides which index answers which term',
      knn: 'Nearest neighbours of the query by meaning',
      bm25: 'Keyword matches, the rarer the better',
      sparse: 'Words that should be there, typed or implied',
      fusion: 'Makes one list of them all',
      decay: 'Lets old memories sink',
      rerank: 'Reads query and text together',
      select: 'Cuts to what is returned',
    },
    status: { ok: '', skipped: 'skipped', degraded: 'degraded', failed: 'failed' },
    older: 'the query was asked before there was this stage',
    waiting: 'waits for a query',
    open: (name: string) => `Open the ranked list of ${name}`,
    asked: (n: number) => (n === 1 ? '1 term asked' : `${n} terms asked`),
    lostHere: 'lost here',
    list: (name: string) => `Ranked list of ${name}`,
    detail: (name: string) => `Stage ${name}`,
    empty: 'Nothing reached this stage.',
    cut: (n: number) => `first ${n} of the list`,
    constants: 'Constants in force',
    notes: 'What it decided',
    rank: '#',
    memory: 'memory',
    score: 'score',
    copy: (value: string) => `${value}, press to copy`,
    copied: 'Copied',
    dropped: {
      cutoff: 'cut',
      duplicate: 'duplicate',
      budget: 'over budget',
      flagged: 'flagged',
      beyond: 'not in the block',
    },
    unread: 'not read yet',
    goesOn: 'goes on',
    below: 'below the window',
    reads: (value: string) => `reader ${value}`,
    ran: 'mode that ran',
    model: 'model',
    dimension: 'dimension',
    fate: 'then',
    terms: {
      cosine: 'cosine',
      feedback: 'feedback',
      word_bm25: 'word bm25',
      trigram_bm25: 'trigram bm25',
      substring: 'substring',
      length_factor: 'length',
      exact: 'exact form',
      shared_words: 'shared words',
      knn_part: 'from knn',
      bm25_part: 'from bm25',
      sparse_part: 'from sparse',
      neighbour_part: 'from its neighbour',
      decay_factor: 'decay',
      age_days: 'age in days',
      half_life_days: 'half-life of its kind',
      authority_factor: 'authority',
      times_said: 'times said',
      reranker: 'reranker',
      fused_normalised: 'fused 0–1',
      redundancy: 'redundancy',
      inside: 'inside words',
      below_window: 'below the window',
      relevance: 'relevance',
    },
  },

  route: {
    kinds: {
      exact: 'an exact pattern',
      technical: 'technical',
      conceptual: 'conceptual',
      blank: 'blank',
    },
    named: (text: string, kind: string) => `“${text}” is ${kind}`,
    query: (kind: string) => `The query is ${kind}`,
    blank: 'Nothing to search for',
    to: (index: string, n: number) =>
      ({
        word: `${words(n)} to the word index`,
        trigram: `${n} to trigrams`,
        substring: `${n} to a substring scan`,
        ignored: `${n} too common to count`,
      })[index] ?? '',
    join: (first: string, rest: string[]) => (rest.length ? `${first}; ${listed(rest)}` : first),
    ran: (mode: string) => `ran ${mode}`,
    table: 'Where each term went',
    term: 'term',
    kind: 'what it is',
    routes: 'goes to',
    matched: 'matches',
    why: 'why',
    excluded: 'left out',
    required: 'must match',
    termKinds: {
      word: 'word',
      unspaced: 'unspaced script',
      identifier: 'identifier',
      path: 'path',
      email: 'e-mail',
      hash: 'hash',
      symbol: 'symbol',
      phrase: 'phrase',
      stop_word: 'common word',
    },
    indexes: {
      word: 'word index',
      trigram: 'trigram index',
      substring: 'substring scan',
      ignored: 'nowhere',
    },
  },

  knn: {
    nearest: (out: number, of: number) => `nearest ${count(out)} of ${count(of)}`,
    none: (of: number) => `nothing near among ${count(of)}`,
    best: (value: number) => `best cosine ${score(value)}`,
    expected: (rank: number, short: number | null) =>
      `the expected one is ${ordinal(rank)}${short === null ? '' : `, short by ${score(short)}`}`,
    expectedIn: (rank: number) => `the expected one is ${ordinal(rank)}`,
  },

  bm25: {
    matched: (parts: string[]) => `matched ${parts.join(', ')}`,
    term: (text: string, n: number) => `“${text}” ${count(n)}`,
    terms: (parts: string[]) => `${parts.join(', ')}`,
    first: (text: string, n: number) => `“${text}” matched ${count(n)}`,
    common: (parts: string[]) => `${listed(parts)} ${parts.length === 1 ? 'is' : 'are'} common`,
    nothing: (parts: string[]) => `${listed(parts)} matched nothing`,
    noTerms: 'no term to look up',
    quoted: (text: string) => `“${text}”`,
    expected: (rank: number) => `the expected one is ${ordinal(rank)}`,
  },

  sparse: {
    added: (first: string[], n: number) =>
      `Words that should be there: ${first.join(', ')}${n > first.length ? ` and ${n - first.length} more` : ''}`,
    nothingAdded: 'The model adds no word to those typed',
    noWords: 'no word to look up',
    expected: (rank: number) => `the expected one is ${ordinal(rank)}`,
    words: 'The query’s words and what each counts, heaviest first',
    product: (weight: string, rarity: string, counts: string) =>
      `the model’s weight ${weight} × rarity ${rarity} = ${counts}`,
    addedMark: 'added',
    more: (n: number) => (n === 1 ? '1 lighter word' : `${n} lighter words`),
    fewer: 'Only the heaviest',
    arithmetic:
      'A word counts the model’s weight × its rarity, the square root of its inverse document frequency here. A memory scores Σ query weight × memory weight over the words that both have.',
  },

  fusion: {
    rrf: (k: number, weights: number[]) => `RRF k ${k}, weights ${weights.join(' : ')}`,
    convex: (weights: number[], possible: boolean) =>
      `convex${possible ? ' from the lowest possible score' : ''}, weights ${weights.join(' : ')}`,
    both: (n: number, lists: number) =>
      `${memories(n)} in ${lists === 2 ? 'both lists' : 'more than one list'}`,
    neighbours: (n: number, share: number) =>
      `${memories(n)} lifted by ${share} of a neighbour in the conversation`,
    nobody: 'nothing to unite',
  },

  decay: {
    nothing: 'nothing to age',
    settings: (halfLife: number, floor: number, lastSaid: boolean) =>
      `half-life ${halfLife} d${lastSaid ? ' from when it was last said' : ''}, floor ${floor.toFixed(2)}`,
    off: 'floor 1: age does not count',
    authority: (alpha: number, n: number) =>
      `authority ${alpha.toFixed(2)} lifts ${n === 0 ? 'nothing' : memories(n)}`,
    lead: (from: number) => `age lifted the ${ordinal(from)} to the top`,
    kept: 'the lead is unchanged',
    expected: (factor: number, days: number | null) =>
      `the expected one keeps × ${factor.toFixed(3)}${days === null ? '' : ` at ${Math.round(days)} d`}`,
  },

  rerank: {
    backends: {
      off: 'off',
      embedded: 'late interaction',
      cross_encoder: 'cross-encoder',
      http: 'the server',
    },
    reads: (who: string, n: number) => `${who} reads the best ${n}`,
    waiting: (n: number) => `${n} still to read`,
    lifted: (from: number) => `the ${ordinal(from)} became first`,
    agreed: 'and keeps the lead',
    off: 'switched off: the decayed order stands',
    nothing: 'nothing to read',
    expected: (rank: number) => `the expected one is ${ordinal(rank)}`,
  },

  select: {
    none: 'nothing left to return',
    kept: (n: number) => `${results(n)}`,
    duplicates: (n: number) => (n === 1 ? '1 duplicate dropped' : `${n} duplicates dropped`),
    flagged: (n: number) => `${n} flagged, waiting for approval`,
    tokens: (used: number, budget: number) => `${count(used)} of ${count(budget)} tokens`,
    expected: (rank: number) => `the expected one is ${ordinal(rank)}`,
  },
};
