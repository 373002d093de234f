/** What the rank flow says. */
import { count, listed, ordinal } from '../format';
import { results } from './counts';

export const flowWords = {
  flow: {
    flow: 'flow',
    table: 'table',
    view: 'Show the rank flow as',
    columns: {
      knn: 'knn',
      bm25: 'bm25',
      sparse: 'sparse',
      fusion: 'fusion',
      decay: 'decay',
      rerank: 'rerank',
      final: 'final',
    },
    legs: { knn: 'meaning', bm25: 'words', sparse: 'implied words' },
    cutoff: (n: number) => `cutoff ${n}`,
    window: (n: number) => `window ${n}`,
    top: (n: number) => `top ${n}`,
    cut: (n: number) => `${count(n)} cut`,
    ribbon: {
      window: (n: number) => `${count(n)} below the window`,
      top: (n: number) => `${count(n)} below the results`,
      duplicate: (n: number) => `${count(n)} said already`,
    },
    inRibbon: 'This memory has no line of its own here; it is in a ribbon and in the table.',
    notHere: 'This memory is in none of these lists.',
    hidden: (n: number) =>
      n === 1 ? 'one more memory in the table' : `${n} more memories in the table`,
    expected: 'expected',
    caption: 'Rank of every memory after each stage',
    absent: 'not in this list',
    beyond: (rank: number) => `${rank}, beyond the cutoff`,
    notRun: 'did not run',
    describe:
      'One line per memory, from its rank in each leg to its final place. The table holds the same.',
    place: (n: number) => `${n}.`,
  },

  finding: {
    nothing: 'Nothing was found',
    empty: 'No leg found anything',
    keywordOnly: (n: number) => `Words alone answered: ${results(n)} without any vote of meaning`,
    semanticOnly: (n: number) => `Meaning alone answered: ${results(n)} without any vote of words`,
    substring: (n: number) => `All legs are down: ${results(n)} that merely contain the text`,
    lifted: (from: number) => `The reranker lifted the best result from ${ordinal(from)} to 1st`,
    aged: (from: number) =>
      `Age decided the lead: the best result was ${ordinal(from)} before decay`,
    allBoth: (n: number) =>
      n === 1
        ? 'The one result was found by meaning and by words'
        : `All ${n} results were found by meaning and by words`,
    someBoth: (both: number, n: number) =>
      `${both} of ${n} results were found by meaning and by words`,
    /** The same where a third leg had a vote. */
    allThree: (n: number) =>
      n === 1
        ? 'The one result was found by meaning, by words and by implied words'
        : `All ${n} results were found by meaning, by words and by implied words`,
    severalLegs: (several: number, n: number) =>
      `${several} of ${n} results were found by more than one list`,
    alone: {
      knn: (n: number, of: number) => `Meaning alone found ${n} of ${results(of)}`,
      bm25: (n: number, of: number) => `Words alone found ${n} of ${results(of)}`,
      sparse: (n: number, of: number) => `Implied words alone found ${n} of ${results(of)}`,
    },
    apart: (n: number) => `The legs share none of the ${results(n)}`,
    found: (rank: number) => `The expected memory is ${ordinal(rank)}`,
    legs: {
      all: 'Meaning, words and implied words all found it',
      two: (a: string, b: string) => {
        const both = `${a} and ${b} both found it`;
        return `${both.charAt(0).toUpperCase()}${both.slice(1)}`;
      },
      only: {
        knn: 'Found by its meaning only',
        bm25: 'Found by its words only',
        sparse: 'Found by its implied words only',
      },
      none: 'Found neither by its words nor by its meaning',
      noneOfThree: 'Found neither by its words, typed or implied, nor by its meaning',
    },
    at: {
      fusion: (rank: number) => `${ordinal(rank)} after fusion`,
      decay: (rank: number) => `${ordinal(rank)} after fusion and decay`,
      rerank: (rank: number) => `${ordinal(rank)} after reranking`,
    },
    beyond: {
      bm25: (rank: number) => `its words rank ${ordinal(rank)}`,
      knn: (rank: number) => `its meaning ranks ${ordinal(rank)}`,
      sparse: (rank: number) => `its implied words rank ${ordinal(rank)}`,
    },
    keeps: (ranks: string[], n: number) => {
      const where = listed(ranks);
      return `${where.charAt(0).toUpperCase()}${where.slice(1)}, and each list keeps ${n}`;
    },
    reads: (n: number) => `the reranker reads ${n}`,
    returns: (n: number) => `${n} are returned`,
    leg: {
      knn: 'by its meaning',
      bm25: 'by its words',
      sparse: 'by its implied words',
    },
    lostAt: (gate: string, leg: string, place: string) => `Lost at ${gate}: ${leg} ${place}`,
    lost: {
      stored: 'It is not in the vault',
      trash: 'It is in the trash',
      expired: 'It has expired',
      scope: 'The filters exclude it',
      embedded: 'It has no vector of the active model',
      duplicate: 'A better result says the same',
      budget: 'The token budget was spent before it',
    } as Record<string, string>,
  },

  exit: {
    window: (rank: number, reads: number) =>
      `outside the rerank window: ${ordinal(rank)}, ${reads} are read`,
    results: (rank: number, top: number) => `${ordinal(rank)}, beyond the top ${top}`,
    cut: 'cut here',
    duplicate: 'a better one says the same',
    budget: 'over the token budget',
    legs: 'in no list',
  },
};
