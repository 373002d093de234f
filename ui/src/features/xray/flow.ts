/** Turns a trace into the columns of the rank flow. */
import type { ColumnKey, FlowColumn } from '../../charts/rank-flow/layout';
import type { Trace, VerdictView } from '../../ipc/bindings';
import { xray } from '../../locales/en/xray';
import { gateOf } from '../../stages/context';
import { isBelowWindow, isLeg, itemOf, LEGS, type Leg, ranIn, stageOf } from '../../trace/model';
import { exitLabel } from './findings';

const t = xray.flow;

/** One stage as a column: who counts here, and who goes no further. */
function column(trace: Trace, key: Exclude<ColumnKey, 'final'>): FlowColumn {
  const stage = stageOf(trace, key);
  const ran = ranIn(trace, key);
  // A leg counts its candidates only; the reranker only what lies in its window.
  const outside = (dropped: string | null) =>
    dropped === 'cutoff' && (isLeg(key) || key === 'rerank');
  const counted = stage.items.filter((item) => !outside(item.dropped) && !isBelowWindow(item));
  return {
    key,
    ran,
    ranks: new Map(counted.map((item) => [item.id, item.rank])),
    leaving: new Set(),
    limit: undefined,
  };
}

/** All columns, with the limits that cut. */
export function flowColumns(trace: Trace): FlowColumn[] {
  const { constants } = trace;
  const legs = LEGS.map((leg) => column(trace, leg));
  const decay = column(trace, 'decay');
  const rerank = column(trace, 'rerank');
  const final: FlowColumn = {
    key: 'final',
    ran: true,
    ranks: new Map(trace.results.map((id, index) => [id, index + 1])),
    leaving: new Set(),
    limit: undefined,
  };
  const columns = [...legs, column(trace, 'fusion'), decay, rerank, final];
  columns.forEach((entry, index) => {
    const later = columns.slice(index + 1);
    entry.leaving = new Set(
      [...entry.ranks.keys()].filter((id) => later.every((next) => !next.ranks.has(id))),
    );
  });
  const reads = constants.rerank !== 'off' && rerank.ran;
  const candidates = Math.max(constants.candidates, 4 * constants.results);
  // A leg that did not run cuts nothing.
  for (const leg of legs.filter(({ ran }) => ran)) {
    const { in: came, out } = stageOf(trace, leg.key as Leg);
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
  for (const key of [...LEGS, 'fusion', 'decay'] as const) {
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
