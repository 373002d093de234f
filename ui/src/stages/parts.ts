/** Which numbers belong to which stage. */

import type { Stage, TermName } from '../ipc/bindings';

/** The numbers a stage's list shows beside the score, most telling first. */
export const STAGE_TERMS: Record<Stage, readonly TermName[]> = {
  route: [],
  knn: ['cosine', 'feedback'],
  bm25: ['word_bm25', 'trigram_bm25', 'inside', 'substring', 'exact', 'length_factor'],
  sparse: ['shared_words'],
  fusion: ['knn_part', 'bm25_part', 'sparse_part', 'neighbour_part'],
  decay: ['decay_factor', 'age_days', 'half_life_days', 'authority_factor', 'times_said'],
  rerank: ['reranker', 'length_factor', 'fused_normalised'],
  select: ['relevance', 'redundancy'],
};
