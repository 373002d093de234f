/** What the X-ray reads out of a trace. The shapes themselves are those of the IPC door. */
import type { ScoreTerm, Stage, StageItem, StageTrace, TermName, Trace } from '../ipc/bindings';

/** All stages in the order in which a query passes them. */
export const STAGES: readonly Stage[] = [
  'route',
  'knn',
  'bm25',
  'fusion',
  'decay',
  'rerank',
  'select',
];

/** The part of one stage; a trace always holds all seven, a hole in it shows as an empty stage. */
export function stageOf(trace: Trace, name: Stage): StageTrace {
  const part = trace.stages.find((stage) => stage.name === name);
  return (
    part ?? {
      name,
      status: 'skipped',
      reason: null,
      notes: [],
      elapsed_ms: 0,
      in: 0,
      out: 0,
      items: [],
    }
  );
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
