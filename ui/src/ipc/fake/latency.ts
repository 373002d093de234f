/** Invented times of as many queries as were asked. */
import type { LatencyView } from '../bindings';

const STAGES = {
  route: 0.2,
  knn: 9,
  bm25: 3,
  sparse: 4,
  fusion: 0.1,
  decay: 0.1,
  rerank: 60,
  select: 0.2,
};

export function latencies(queries: number): LatencyView {
  if (queries === 0) return { queries, whole: null, stages: [], recent: [] };
  const row = (name: string, p50: number) => ({
    name,
    ran: queries,
    p50,
    p95: p50 * 1.5,
    slowest: p50 * 2,
  });
  return {
    queries,
    whole: row('whole', 69.6),
    stages: Object.entries(STAGES).map(([name, time]) => row(name, time)),
    recent: Array.from({ length: Math.min(50, queries) }, (_, at) => 40 + ((at * 37) % 60)),
  };
}
