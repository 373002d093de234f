/** What the rank flow is drawn from, and what its layout consists of. */

import { LEGS, type Leg } from '../../trace/model';

export type ColumnKey = Leg | 'fusion' | 'decay' | 'rerank' | 'final';
export const COLUMNS: readonly ColumnKey[] = [...LEGS, 'fusion', 'decay', 'rerank', 'final'];

/** What one column holds. */
export interface FlowColumn {
  key: ColumnKey;
  /** Memories by rank, from 1; only those that count here. */
  ranks: ReadonlyMap<string, number>;
  /** Those that end in this column and go no further. */
  leaving: ReadonlySet<string>;
  /** A line below this rank: a cutoff, the rerank window, the number of results. */
  limit?: { rank: number; label: string; cut?: string | undefined } | undefined;
  /** False when the stage did not run: the column is drawn pale. */
  ran: boolean;
}

export interface FlowInput {
  columns: readonly FlowColumn[];
  /** Best first. */
  results: readonly string[];
  /** The memory that was expected, and where a leg has it although it is beyond the cutoff. */
  expected?: { id: string; beyond: Partial<Record<ColumnKey, number>>; exit: string } | undefined;
  width: number;
  height: number;
  /** Lines drawn at most, 30 when absent; the rest are ribbons, counted in `hidden`. */
  most?: number | undefined;
  /** Memories that a better one repeats. */
  duplicates?: ReadonlySet<string> | undefined;
}

export interface FlowPoint {
  column: ColumnKey;
  x: number;
  y: number;
  rank: number;
  /** Beyond a cutoff: known, but not counted. */
  beyond: boolean;
}

export type Fate = 'result' | 'expected' | 'left';

export interface Exit {
  x: number;
  y: number;
  label: string;
  /** Whether the label ends at `x` and stands below, since to the right of it there is no room. */
  isBack: boolean;
}

export interface FlowLine {
  id: string;
  fate: Fate;
  points: FlowPoint[];
  /** A short stroke where the memory ends, to the lower right of its last point. */
  exit: Exit | null;
}

export interface FlowMark {
  column: ColumnKey;
  x1: number;
  x2: number;
  y: number;
  label: string;
}

export interface FlowLabel {
  id: string;
  rank: number;
  y: number;
}

export interface FlowLayout {
  width: number;
  height: number;
  top: number;
  bottom: number;
  x: Record<ColumnKey, number>;
  lines: FlowLine[];
  marks: FlowMark[];
  /** Everything that has no line of its own. */
  ribbons: FlowRibbon[];
  /** The words beside lines, marks and ribbons; none lies over another. */
  texts: FlowText[];
  labels: FlowLabel[];
  /** Where names begin. */
  labelX: number;
  /** Height of one full row. */
  row: number;
  /** How many memories have no line of their own. */
  hidden: number;
}

/** Where those of a ribbon ended: below the rerank window, below the results, or as a copy. */
export type Cut = 'window' | 'top' | 'duplicate';

export interface FlowRibbon {
  fate: Cut;
  count: number;
  /** The middle of its memories in every column that holds some of them. */
  points: { column: ColumnKey; x: number; y: number }[];
  thickness: number;
  label: string;
}

export interface FlowText {
  kind: 'mark' | 'exit' | 'beyond' | 'ribbon' | 'fixed';
  text: string;
  x: number;
  /** The line that the letters stand on. */
  y: number;
  anchor: 'start' | 'end' | 'middle';
}
