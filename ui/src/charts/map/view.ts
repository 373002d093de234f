/** The part of the plane that is shown, and what lies in a shape drawn on it. */

export interface View {
  /** The point of the plane in the middle of the canvas. */
  x: number;
  y: number;
  /** Pixels per unit. */
  scale: number;
}

export interface Size {
  width: number;
  height: number;
}

/** A place on the canvas, in CSS pixels. */
export type Place = readonly [number, number];

/** Room around the outermost points. */
const MARGIN = 0.08;

/** How far in and out one can go, against the whole picture. */
const NEAREST = 200;
const FARTHEST = 0.5;

/** Shows everything. */
export function wholeOf(x: readonly number[], y: readonly number[], size: Size): View {
  if (x.length === 0) return { x: 0, y: 0, scale: 1 };
  let [left, right, bottom, top] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let at = 0; at < x.length; at += 1) {
    const [px, py] = [x[at] as number, y[at] as number];
    if (px < left) left = px;
    if (px > right) right = px;
    if (py < bottom) bottom = py;
    if (py > top) top = py;
  }
  const width = Math.max(right - left, 1e-6) * (1 + 2 * MARGIN);
  const height = Math.max(top - bottom, 1e-6) * (1 + 2 * MARGIN);
  return {
    x: (left + right) / 2,
    y: (bottom + top) / 2,
    scale: Math.max(1e-9, Math.min(size.width / width, size.height / height)),
  };
}

export function toCanvas(view: View, size: Size, x: number, y: number): Place {
  return [size.width / 2 + (x - view.x) * view.scale, size.height / 2 - (y - view.y) * view.scale];
}

export function fromCanvas(view: View, size: Size, [px, py]: Place): Place {
  return [
    view.x + (px - size.width / 2) / view.scale,
    view.y - (py - size.height / 2) / view.scale,
  ];
}

/** Zooms so that the point under the pointer stays where it is. */
export function zoom(view: View, size: Size, factor: number, at: Place, whole: View): View {
  const scale = Math.min(
    whole.scale * NEAREST,
    Math.max(whole.scale * FARTHEST, view.scale * factor),
  );
  const [x, y] = fromCanvas(view, size, at);
  return {
    x: x - (at[0] - size.width / 2) / scale,
    y: y + (at[1] - size.height / 2) / scale,
    scale,
  };
}

/** Moves the picture by pixels. */
export function pan(view: View, dx: number, dy: number): View {
  return { ...view, x: view.x - dx / view.scale, y: view.y + dy / view.scale };
}

/** The point nearest to a place, within a few pixels; null when there is none. */
export function nearest(
  x: readonly number[],
  y: readonly number[],
  view: View,
  size: Size,
  at: Place,
  within: number,
): number | null {
  const [px, py] = fromCanvas(view, size, at);
  let best: number | null = null;
  let least = (within / view.scale) ** 2;
  for (let index = 0; index < x.length; index += 1) {
    const dx = (x[index] as number) - px;
    const dy = (y[index] as number) - py;
    const distance = dx * dx + dy * dy;
    if (distance <= least) {
      least = distance;
      best = index;
    }
  }
  return best;
}

/** The points inside a closed line drawn on the canvas (even-odd rule). */
export function inside(
  x: readonly number[],
  y: readonly number[],
  view: View,
  size: Size,
  line: readonly Place[],
): number[] {
  if (line.length < 3) return [];
  const corners = line.map((place) => fromCanvas(view, size, place));
  const left = Math.min(...corners.map((corner) => corner[0]));
  const right = Math.max(...corners.map((corner) => corner[0]));
  const found: number[] = [];
  for (let index = 0; index < x.length; index += 1) {
    const px = x[index] as number;
    if (px >= left && px <= right && holds(corners, px, y[index] as number)) found.push(index);
  }
  return found;
}

function holds(corners: readonly Place[], x: number, y: number): boolean {
  let within = false;
  let [bx, by] = corners[corners.length - 1] as Place;
  for (const [ax, ay] of corners) {
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) within = !within;
    [bx, by] = [ax, ay];
  }
  return within;
}
