/** Where the points of a sweep stand: value across, mean score up. */
import { scaleLinear, scaleLog } from 'd3-scale';

export interface Point {
  value: number;
  mean: number;
  low: number;
  high: number;
}

export interface SweepInput {
  points: readonly Point[];
  width: number;
  height: number;
  /** Logarithmic axes give days and years the same room; a value of 0 stands at the left edge. */
  scale: 'linear' | 'log';
}

export interface Tick {
  at: number;
  value: number;
}

export interface SweepLayout {
  /** The line through the means, as an SVG path. */
  line: string;
  /** The band between both ends of the intervals. */
  band: string;
  dots: Array<{ x: number; y: number; value: number }>;
  xTicks: Tick[];
  yTicks: Tick[];
  /** Inner edges of the plot. */
  left: number;
  right: number;
  top: number;
  bottom: number;
  /** Where any value would stand. */
  x: (value: number) => number;
}

const MARGIN = { left: 62, right: 14, top: 24, bottom: 38 };

/** Scores closer together than this would make noise look like a mountain. */
const LEAST_SPAN = 0.1;

export function layout({ points, width, height, scale }: SweepInput): SweepLayout {
  const left = MARGIN.left;
  const right = Math.max(left + 40, width - MARGIN.right);
  const top = MARGIN.top;
  const bottom = Math.max(top + 40, height - MARGIN.bottom);
  const values = points.map((point) => point.value);
  const positive = values.filter((value) => value > 0);
  const most = Math.max(...values, 0);
  const log = scale === 'log' && positive.length > 1;
  const least = log ? Math.min(...positive) : Math.min(...values, most);
  const across = log
    ? scaleLog().domain([least, most]).range([left, right]).clamp(true)
    : scaleLinear().domain([least, most]).range([left, right]);
  const x = (value: number) => (log && value <= 0 ? left : across(value));
  const low = Math.min(...points.map((point) => point.low), 1);
  const high = Math.max(...points.map((point) => point.high), 0);
  const spare = Math.max(0, LEAST_SPAN - (high - low)) / 2;
  const up = scaleLinear()
    .domain([Math.max(0, low - spare), Math.min(1, high + spare)])
    .nice(5)
    .range([bottom, top]);
  const at = (point: Point, score: number) =>
    `${x(point.value).toFixed(1)},${up(score).toFixed(1)}`;
  const path = (corners: string[]) => (corners.length > 0 ? `M${corners.join('L')}` : '');
  return {
    line: path(points.map((point) => at(point, point.mean))),
    band: path([
      ...points.map((point) => at(point, point.high)),
      ...[...points].reverse().map((point) => at(point, point.low)),
    ]),
    dots: points.map((point) => ({ x: x(point.value), y: up(point.mean), value: point.value })),
    xTicks: across.ticks(log ? 4 : 6).map((value) => ({ at: x(value), value })),
    yTicks: up.ticks(5).map((value) => ({ at: up(value), value })),
    left,
    right,
    top,
    bottom,
    x,
  };
}
