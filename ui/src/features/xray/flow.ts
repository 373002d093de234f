/** Turns a trace into the columns of the rank flow. */
import type { ColumnKey, FlowColumn } from '../../charts/rank-flow/layout';
import type { Trace, VerdictView } from '../../ipc/bindings';
import { xray } from '../../locales/en/xray';
import { gateOf } from '../../stages/context';
import { isBelowWindow, itemOf, stageOf } from '../../trace/model';
import { exitLabel } from './findings';

const t = xray.flow;

/** One stage as a column: who counts here, and who goes no further. */
function column(trace: Trace, key: Exclude<ColumnKey, 'final'>): FlowColumn {
  const stage = stageOf(trace, key);
  const ran = stage.status === 'ok' || stage.status === 'degraded';
  const leg = key === 'knn' || key === 'bm25';
  // A leg counts its candidates only; the reranker only what lies in its window.
  const outside = (dropped: string | null) => dropped === 'cutoff' && (leg || key === 'rerank');
  const counted = stage.items.filter((item) => !outside(item.dropped) && !isBelowWindow(item));
  return {
    key,
    ran,
    ranks: new Map(counted.map((item) => [item.id, item.rank])),
    leaving: new Set(),
    limit: undefined,
  };
}

/** All six columns, with the limits that cut. */
export function flowColumns(trace: Trace): FlowColumn[] {
  const { constants } = trace;
  const [knn, bm25, fusion, decay, rerank] = (
    ['knn', 'bm25', 'fusion', 'decay', 'rerank'] as const
  ).map((key) => column(trace, key)) as [
    FlowColumn,
    FlowColumn,
    FlowColumn,
    FlowColumn,
    FlowColumn,
  ];
  const final: FlowColumn = {
    key: 'final',
    ran: true,
    ranks: new Map(trace.results.map((id, index) => [id, index + 1])),
    leaving: new Set(),
    limit: undefined,
  };
  const columns = [knn, bm25, fusion, decay, rerank, final];
  columns.forEach((entry, index) => {
    const later = columns.slice(index + 1);
    entry.leaving = new Set(
      [...entry.ranks.keys()].filter((id) => later.every((next) => !next.ranks.has(id))),
    );
  });
  const reads = constants.rerank !== 'off' && rerank.ran;
  const candidates = Math.max(constants.candidates, 4 * constants.results);
  for (const leg of [knn, bm25]) {
    const { in: came, out } = stageOf(trace, leg.key as 'knn' | 'bm25');
    const cut = came > out && out > 0 ? t.cut(came - out) : undefined;
    leg.limit = { rank: candidates, label: t.cutoff(candidates), cut };
  }
  if (reads)
    decay.limit = { rank: constants.rerank_window, label: t.window(constants.rerank_window) };
  final.limit = {
    rank: Math.max(constants.results, trace.results.length),
    label: t.top(constants.results),
  };
  return columns;
}

/** Memories that a better one repeats. */
export function flowDuplicates(trace: Trace): ReadonlySet<string> {
  const dropped = stageOf(trace, 'select').items.filter((item) => item.dropped === 'duplicate');
  return new Set(dropped.map((item) => item.id));
}

/** The expected memory's line: also where it stands beyond a cutoff, and why it ends. */
export function flowExpected(trace: Trace, verdict: VerdictView | null) {
  if (!verdict) return undefined;
  const beyond: Partial<Record<ColumnKey, number>> = {};
  for (const key of ['knn', 'bm25', 'fusion', 'decay'] as const) {
    const rank =
      itemOf(trace, key, verdict.expected)?.rank ?? gateOf(verdict, key)?.value ?? undefined;
    if (rank !== undefined && rank >= 1 && Number.isInteger(rank)) beyond[key] = rank;
  }
  return {
    id: verdict.expected,
    beyond,
    exit: verdict.in_results ? '' : exitLabel(trace, verdict),
  };
}
