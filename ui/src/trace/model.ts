/** What the X-ray reads out of a trace. The shapes themselves are those of the IPC door. */
import type { ScoreTerm, Stage, StageItem, StageTrace, TermName, Trace } from '../ipc/bindings';
import { xray } from '../locales/en/xray';

/** All stages in the order in which a query passes them. */
export const STAGES: readonly Stage[] = [
  'route',
  'knn',
  'bm25',
  'sparse',
  'fusion',
  'decay',
  'rerank',
  'select',
];

/** The stages that find memories, side by side; fusion makes one list of theirs. */
export const LEGS = ['knn', 'bm25', 'sparse'] as const satisfies readonly Stage[];
export type Leg = (typeof LEGS)[number];

/** What each leg gives to fusion. */
export const PART_OF = {
  knn: 'knn_part',
  bm25: 'bm25_part',
  sparse: 'sparse_part',
} as const satisfies Record<Leg, TermName>;

export const isLeg = (name: string): name is Leg => (LEGS as readonly string[]).includes(name);

/** The part of one stage; one that a stored trace is older than shows as skipped, with the reason. */
export function stageOf(trace: Trace, name: Stage): StageTrace {
  const part = trace.stages.find((stage) => stage.name === name);
  return (
    part ?? {
      name,
      status: 'skipped',
      reason: xray.stages.older,
      notes: [],
      elapsed_ms: 0,
      in: 0,
      out: 0,
      items: [],
    }
  );
}

/** Whether a stage made its list, completely or not. */
export function ranIn(trace: Trace, name: Stage): boolean {
  return ['ok', 'degraded'].includes(stageOf(trace, name).status);
}

/** A memory's place in a stage's list. */
export function itemOf(trace: Trace, name: Stage, id: string): StageItem | undefined {
  return stageOf(trace, name).items.find((item) => item.id === id);
}

/** Whether a row of the reranker's list lies below its window: kept in order, but not read. */
export function isBelowWindow(item: StageItem): boolean {
  return termOf(item.terms, 'below_window') !== undefined;
}

/** One number out of a score. */
export function termOf(terms: readonly ScoreTerm[], name: TermName): number | undefined {
  return terms.find((term) => term.name === name)?.value;
}

/** Wall time of the whole query in milliseconds. */
export function totalMs(trace: Trace): number {
  return trace.stages.reduce((sum, stage) => sum + stage.elapsed_ms, 0);
}
