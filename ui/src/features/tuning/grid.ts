/**
 * Two constants through their ranges, one row of the second at a time: what has been measured is
 * kept when the person stops, and going on starts where it stopped.
 */
import type { Backend } from '../../ipc/backend';
import type { Constants, SweepView } from '../../ipc/bindings';
import type { Numeric } from '../../words/constants';

export interface Grid {
  x: Numeric;
  y: Numeric;
  /** What everything else was. */
  constants: Constants;
  now: string | null;
  xs: number[];
  ys: number[];
  /** Mean nDCG@10 by row of y; a row that is missing has not been measured. */
  rows: (number[] | undefined)[];
  queries: number;
  /** Golden queries that are missing before half of them can be held out. */
  needed: number;
}

type Port = Pick<Backend, 'sweep'>;

const ndcg = (view: SweepView) => view.points.map((point) => point.scores.ndcg_10);

/** Finds the values of both constants; measures nothing twice. */
export async function begin(
  port: Port,
  x: Numeric,
  y: Numeric,
  constants: Constants,
  now: string | null,
): Promise<Grid> {
  const across = await port.sweep({ constant: x, constants, now });
  const down = await port.sweep({ constant: y, constants, now });
  const ys = down.points.map((point) => point.value);
  return {
    x,
    y,
    constants,
    now,
    xs: across.points.map((point) => point.value),
    ys,
    // The row of the present value is what the first sweep measured.
    rows: ys.map((value) => (value === constants[y] ? ndcg(across) : undefined)),
    queries: across.queries,
    needed: across.needed,
  };
}

/** Measures the next row; null when there is none left. */
export async function measureRow(port: Port, grid: Grid): Promise<Grid | null> {
  const row = grid.ys.findIndex((_, at) => grid.rows[at] === undefined);
  const value = grid.ys[row];
  if (value === undefined) return null;
  const constants = { ...grid.constants, [grid.y]: value };
  const measured = await port.sweep({ constant: grid.x, constants, now: grid.now });
  const byValue = new Map(measured.points.map((point) => [point.value, point.scores.ndcg_10]));
  const rows = [...grid.rows];
  rows[row] = grid.xs.map((at) => byValue.get(at) ?? 0);
  return { ...grid, rows };
}

/** How many rows are measured. */
export function done(grid: Grid): number {
  return grid.rows.filter((row) => row !== undefined).length;
}

export interface Peak {
  /** Column and row. */
  at: readonly [number, number];
  value: number;
}

/** The best pair; among equals the one nearest to the present pair. */
export function peak(grid: Grid): Peak | null {
  const present = presentAt(grid);
  let best: (Peak & { away: number }) | null = null;
  grid.rows.forEach((row, at) => {
    row?.forEach((value, column) => {
      const away = present ? Math.hypot(column - present[0], at - present[1]) : 0;
      const better =
        best === null ||
        value > best.value + 1e-9 ||
        (Math.abs(value - best.value) <= 1e-9 && away < best.away);
      if (better) best = { at: [column, at], value, away };
    });
  });
  return best;
}

/** The place of the pair in force. */
export function presentAt(grid: Grid): readonly [number, number] | null {
  const column = grid.xs.indexOf(grid.constants[grid.x]);
  const row = grid.ys.indexOf(grid.constants[grid.y]);
  return column < 0 || row < 0 ? null : [column, row];
}
