/** Which constants and which numbers belong to which stage. */

import type { Constants, Stage, TermName } from '../ipc/bindings';

/** The constants in force at each stage, in the order in which they act. */
export const STAGE_CONSTANTS: Record<Stage, ReadonlyArray<keyof Constants>> = {
  route: [],
  knn: ['candidates', 'knn_feedback'],
  bm25: ['candidates', 'bm25_short', 'bm25_long'],
  fusion: ['fusion', 'convex_bounds', 'rrf_k', 'knn_weight', 'bm25_weight'],
  decay: ['half_life_days', 'half_life_by_kind', 'decay_floor', 'decay_clock'],
  rerank: ['rerank', 'rerank_window', 'rerank_blend'],
  select: ['results', 'token_budget', 'mmr', 'mmr_lambda', 'dedup'],
};

/** The numbers a stage's list shows beside the score, most telling first. */
export const STAGE_TERMS: Record<Stage, readonly TermName[]> = {
  route: [],
  knn: ['cosine', 'feedback'],
  bm25: ['word_bm25', 'trigram_bm25', 'inside', 'substring', 'exact', 'length_factor'],
  fusion: ['knn_part', 'bm25_part'],
  decay: ['decay_factor', 'age_days', 'half_life_days'],
  rerank: ['reranker', 'fused_normalised'],
  select: ['relevance', 'redundancy'],
};
