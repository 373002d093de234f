/** The presets of the invented core. */
import type { Constants, PresetView } from '../bindings';

export const STANDARD: Constants = {
  candidates: 40,
  knn_feedback: 0,
  bm25_short: 0,
  bm25_long: 0,
  fusion: 'rrf',
  convex_bounds: 'observed',
  rrf_k: 60,
  knn_weight: 1,
  bm25_weight: 1,
  sparse_weight: 0,
  neighbour_share: 0,
  half_life_days: 14,
  half_life_by_kind: 'fact:evergreen',
  decay_floor: 0.7,
  decay_clock: 'created_at',
  authority: 0,
  rerank: 'embedded',
  rerank_window: 20,
  rerank_blend: 0.7,
  rerank_long: 1000,
  results: 10,
  context_results: 5,
  token_budget: 2048,
  mmr: false,
  mmr_lambda: 0.7,
  dedup: true,
};

export const PRESETS: PresetView[] = [
  {
    name: 'Standard',
    description: 'The documented constants.',
    constants: STANDARD,
    builtin: true,
    recommended: false,
  },
  {
    name: 'Recency-heavy',
    description: 'When the latest word counts.',
    constants: { ...STANDARD, half_life_days: 3, decay_floor: 0.3 },
    builtin: true,
    recommended: false,
  },
  {
    name: 'Exact-first',
    description: 'For ids, paths and error texts.',
    constants: { ...STANDARD, bm25_weight: 2, knn_weight: 0.5 },
    builtin: true,
    recommended: false,
  },
  {
    name: 'Balanced (convex)',
    description: 'Recommended: scores are added instead of ranks.',
    constants: { ...STANDARD, fusion: 'convex', sparse_weight: 0.5 },
    builtin: true,
    recommended: true,
  },
];
