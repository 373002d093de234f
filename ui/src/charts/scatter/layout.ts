/** Where the points of a scatter plot stand, and which of them nothing beats. */
import { scaleLinear } from 'd3-scale';

export interface Point {
  id: number;
  /** Less is better. */
  x: number;
  /** More is better. */
  y: number;
}

/** Points that no other one beats in both, from left to right. */
export function front<P extends Point>(points: readonly P[]): P[] {
  let best = Number.NEGATIVE_INFINITY;
  return [...points]
    .sort((a, b) => a.x - b.x || b.y - a.y)
    .filter((point) => {
      if (point.y <= best) return false;
      best = point.y;
      return true;
    });
}

const MARGIN = { left: 58, right: 16, top: 12, bottom: 40 };

export function layout(points: readonly Point[], width: number, height: number) {
  const [left, right] = [MARGIN.left, Math.max(MARGIN.left + 40, width - MARGIN.right)];
  const [top, bottom] = [MARGIN.top, Math.max(MARGIN.top + 40, height - MARGIN.bottom)];
  const xs = points.map((point) => point.x);
  const ys = points.map((point) => point.y);
  const [low, high] = [Math.min(...ys, 1), Math.max(...ys, 0)];
  // Closer together than a twentieth, noise would look like a mountain.
  const spare = Math.max(0, 0.05 - (high - low)) / 2;
  const x = scaleLinear()
    .domain([0, Math.max(...xs, 1e-3) * 1.05])
    .range([left, right]);
  const y = scaleLinear()
    .domain([Math.max(0, low - spare), Math.min(1, high + spare)])
    .nice(5)
    .range([bottom, top]);
  const best = front(points);
  const stairs = best
    .flatMap((point, at) => {
      const next = best[at + 1];
      const here = `${x(point.x).toFixed(1)},${y(point.y).toFixed(1)}`;
      const edge = next ? x(next.x) : right;
      return [here, `${edge.toFixed(1)},${y(point.y).toFixed(1)}`];
    })
    .join('L');
  return {
    left,
    right,
    top,
    bottom,
    x,
    y,
    front: best.map((point) => point.id),
    stairs: stairs === '' ? '' : `M${stairs}`,
    xTicks: x.ticks(6).map((value) => ({ value, at: x(value) })),
    yTicks: y.ticks(5).map((value) => ({ value, at: y(value) })),
  };
}
