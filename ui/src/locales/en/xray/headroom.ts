/** What is said about what the golden queries leave on the table. */
import type { HeadroomView } from '../../../ipc/bindings';

const points = (value: number) => value.toFixed(2);
const queries = (n: number) => (n === 1 ? '1 golden query' : `${n} golden queries`);

/** The sentence that says what to work on, with its numbers. */
function finding(view: HeadroomView): string {
  const { actual, ranking, cutoff, unfound } = view;
  const oracle = points(actual + ranking);
  const missing = `${points(1 - actual)} of nDCG@10 is missing`;
  const retrieval = points(cutoff + unfound);
  switch (view.fix) {
    case 'nothing':
      return `Nearly everything is reached: nDCG@10 ${points(actual)} of 1. Judge harder queries to find out more.`;
    case 'ranking':
      return `Fix ranking: ${missing}, and ${points(ranking)} of it is the order. The same candidates, best first, would give ${oracle}.`;
    case 'retrieval':
      return `Fix retrieval: ${missing}, and ${retrieval} of it never reaches fusion. Even the best order of the candidates gives only ${oracle}.`;
    case 'both':
      return `Fix both: ${missing}, ${points(ranking)} by the order of the candidates and ${retrieval} by what never reaches fusion.`;
  }
}

export const headroomWords = {
  headroom: {
    title: 'Headroom',
    help: 'How much better the golden queries could be answered, and what would have to change for it. The constants are those of the X-ray.',
    finding,
    none: 'Headroom shows itself once a result is judged relevant.',
    measuring: 'Measuring',
    bar: 'Parts of a perfect nDCG@10 of 1',
    axis: 'mean nDCG@10',
    parts: {
      actual: 'reached',
      ranking: 'a better order',
      cutoff: 'below the cutoffs',
      unfound: 'not found',
    },
    means: {
      actual: 'nDCG@10 of the results as they are',
      ranking: 'added by the best order of the same candidates: constants of fusion, decay, rerank',
      cutoff: 'added by more candidates: found by a leg, but beyond “candidates”',
      unfound: 'found by no leg: other words, embed what is missing, another model',
    },
    stages: 'What each stage does to the golden queries',
    stage: 'stage',
    recallIn: 'recall in',
    recallOut: 'recall out',
    ndcgIn: 'nDCG@10 in',
    ndcgOut: 'nDCG@10 out',
    helped: 'helped',
    hurt: 'hurt',
    hurts: (n: number, of: number) => `${n} of ${of}`,
    stagesHelp:
      'A stage hurts a query when the list that leaves it is worse than the one that came in; fusion is held against the best of the legs, a leg against what its cutoff drops.',
    worst: (n: number) => `Where the most is left, of ${queries(n)}`,
    open: (text: string) => `Ask “${text}” in the X-ray`,
  },
};
