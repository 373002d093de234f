/** Where the axes of parallel coordinates stand, and where each line crosses them. */
import { scaleLinear, scaleLog } from 'd3-scale';

export interface Axis {
  /** Name with unit, as it is written above the axis. */
  label: string;
  scale: 'linear' | 'log';
  /** Whole numbers need no digits behind the point. */
  format: (value: number) => string;
}

export interface Line {
  id: number;
  /** One value per axis. */
  values: readonly number[];
}

/** What is let through on each axis; null lets everything through. */
export type Brushes = readonly (readonly [number, number] | null)[];

export interface AxisLayout {
  x: number;
  y: (value: number) => number;
  /** The value at a height, kept within the axis. */
  at: (y: number) => number;
  ticks: { value: number; at: number }[];
  /** Every value that a line has here, rising; the steps of the keyboard. */
  stops: number[];
}

export interface CoordinatesLayout {
  top: number;
  bottom: number;
  axes: AxisLayout[];
  paths: Map<number, string>;
}

const MARGIN = { side: 58, top: 34, bottom: 22 };

export function layout(
  axes: readonly Axis[],
  lines: readonly Line[],
  width: number,
  height: number,
): CoordinatesLayout {
  const [top, bottom] = [MARGIN.top, Math.max(MARGIN.top + 40, height - MARGIN.bottom)];
  const gap = axes.length > 1 ? (width - 2 * MARGIN.side) / (axes.length - 1) : 0;
  const placed = axes.map((axis, at): AxisLayout => {
    const values = lines.map((line) => line.values[at] ?? 0);
    const stops = [...new Set(values)].sort((a, b) => a - b);
    const positive = stops.filter((value) => value > 0);
    const log = axis.scale === 'log' && positive.length > 1;
    // A value of 0 has no logarithm: it stands below the least other one, at the foot.
    const least = log ? (positive[0] ?? 1) / (stops[0] === 0 ? 2 : 1) : (stops[0] ?? 0);
    const most = stops.at(-1) ?? 1;
    const flat = least === most;
    const domain = flat ? [least - 0.5, most + 0.5] : [least, most];
    const up = (log ? scaleLog() : scaleLinear()).domain(domain).range([bottom, top]).clamp(true);
    return {
      x: MARGIN.side + gap * at,
      y: (value) => (log && value <= 0 ? bottom : up(value)),
      at: (y) => {
        const value = up.invert(Math.min(bottom, Math.max(top, y)));
        return log && stops[0] === 0 && value <= least * 1.05 ? 0 : value;
      },
      ticks: (flat ? [least] : up.ticks(log ? 4 : 5))
        .filter((_, index, all) => all.length <= 6 || index % Math.ceil(all.length / 6) === 0)
        .map((value) => ({ value, at: up(value) })),
      stops,
    };
  });
  const paths = new Map(
    lines.map((line) => [
      line.id,
      placed
        .map(
          (axis, at) =>
            `${at === 0 ? 'M' : 'L'}${axis.x.toFixed(1)},${axis.y(line.values[at] ?? 0).toFixed(1)}`,
        )
        .join(''),
    ]),
  );
  return { top, bottom, axes: placed, paths };
}

/** Whether every brush lets a line through; the ends count as inside. */
export function passes(line: Line, brushes: Brushes): boolean {
  return brushes.every((brush, at) => {
    if (brush === null) return true;
    const value = line.values[at] ?? 0;
    const slack = 1e-9 * Math.max(1, Math.abs(value));
    return value >= brush[0] - slack && value <= brush[1] + slack;
  });
}

/** The brushes with one of them moved; ends that were crossed change places. */
export function moved(
  brushes: Brushes,
  axis: number,
  brush: readonly [number, number] | null,
): Brushes {
  return brushes.map((held, at) => {
    if (at !== axis) return held;
    return brush === null ? null : [Math.min(...brush), Math.max(...brush)];
  });
}
