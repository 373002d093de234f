/**
 * Two constants against each other: a table whose cells carry their number and its colour, so that
 * it is its own twin. Arrow keys walk through the cells, pressing one chooses its pair.
 */
import { type KeyboardEvent, useState } from 'react';
import css from './Heatmap.module.css';

export interface HeatmapProps {
  /** The finding. */
  title: string;
  xLabel: string;
  yLabel: string;
  x: readonly number[];
  y: readonly number[];
  /** By row of y; null = not measured (yet). */
  cells: readonly (readonly (number | null)[])[];
  formatX: (value: number) => string;
  formatY: (value: number) => string;
  /** The place of the present pair and of the best one, as column and row. */
  present: readonly [number, number] | null;
  best: readonly [number, number] | null;
  presentLabel: string;
  bestLabel: string;
  nameOf: (x: number, y: number, value: number | null) => string;
  onChoose: (x: number, y: number) => void;
}

/** From here on the ground is too strong for the usual ink, and too weak for the other up to here. */
const STRONG = 72;

/** Where a value lies between the least and the greatest, in steps of a hundredth. */
export function shade(value: number, least: number, greatest: number): number {
  if (!(greatest > least)) return 0;
  return Math.round(((value - least) / (greatest - least)) * 100);
}

export function Heatmap(props: HeatmapProps) {
  const { x, y, cells, present, best } = props;
  const known = cells.flat().filter((value): value is number => value !== null);
  const [least, greatest] = [Math.min(...known), Math.max(...known)];
  const [at, setAt] = useState<readonly [number, number]>(present ?? [0, 0]);
  const walk = (event: KeyboardEvent<HTMLElement>) => {
    const moves: Partial<Record<string, readonly [number, number]>> = {
      ArrowRight: [1, 0],
      ArrowLeft: [-1, 0],
      ArrowDown: [0, 1],
      ArrowUp: [0, -1],
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    const column = Math.min(x.length - 1, Math.max(0, at[0] + move[0]));
    const row = Math.min(y.length - 1, Math.max(0, at[1] + move[1]));
    setAt([column, row]);
    event.currentTarget.querySelector<HTMLElement>(`[data-cell="${column} ${row}"]`)?.focus();
  };
  const is = (place: readonly [number, number] | null, column: number, row: number) =>
    place !== null && place[0] === column && place[1] === row;
  return (
    <section className={css.scroll} aria-label={props.title}>
      <table className={css.table} onKeyDown={walk}>
        <caption className="visually-hidden">{props.title}</caption>
        <thead>
          <tr>
            <th scope="col" className={css.corner}>
              {props.yLabel} ↓ · {props.xLabel} →
            </th>
            {x.map((value) => (
              <th key={value} scope="col">
                {props.formatX(value)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {y.map((rowValue, row) => (
            <tr key={rowValue}>
              <th scope="row">{props.formatY(rowValue)}</th>
              {x.map((value, column) => {
                const cell = cells[row]?.[column] ?? null;
                const strength = cell === null ? null : shade(cell, least, greatest);
                return (
                  <td key={value}>
                    <button
                      type="button"
                      className={css.cell}
                      data-cell={`${column} ${row}`}
                      data-strong={(strength ?? 0) > STRONG || undefined}
                      data-present={is(present, column, row) || undefined}
                      data-best={is(best, column, row) || undefined}
                      tabIndex={is(at, column, row) ? 0 : -1}
                      aria-label={[
                        props.nameOf(value, rowValue, cell),
                        is(present, column, row) ? props.presentLabel : '',
                        is(best, column, row) ? props.bestLabel : '',
                      ]
                        .filter((part) => part !== '')
                        .join(', ')}
                      style={
                        strength === null
                          ? undefined
                          : {
                              background: `color-mix(in srgb, var(--heat) ${strength}%, var(--panel))`,
                            }
                      }
                      onFocus={() => setAt([column, row])}
                      onClick={() => props.onChoose(value, rowValue)}
                    >
                      {cell === null ? '·' : cell.toFixed(2).replace(/^0/, '')}
                    </button>
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
      <p className={css.legend} aria-hidden="true">
        <span className={css.present}>□</span> {props.presentLabel}{' '}
        <span className={css.best}>■</span> {props.bestLabel}
      </p>
    </section>
  );
}
