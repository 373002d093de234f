import { describe, expect, it } from 'vitest';
import { fromCanvas, inside, nearest, pan, toCanvas, wholeOf, zoom } from './view';

const size = { width: 400, height: 200 };
const x = [-1, 0, 1, 0.5];
const y = [-0.5, 0, 0.5, 0.1];

describe('the shown part of the plane', () => {
  it('holds every point at first, with room around', () => {
    const view = wholeOf(x, y, size);
    for (let at = 0; at < x.length; at += 1) {
      const [px, py] = toCanvas(view, size, x[at] as number, y[at] as number);
      expect(px).toBeGreaterThan(5);
      expect(px).toBeLessThan(395);
      expect(py).toBeGreaterThan(5);
      expect(py).toBeLessThan(195);
    }
    expect(wholeOf([], [], size).scale).toBe(1);
    expect(Number.isFinite(wholeOf([2], [3], size).scale)).toBe(true);
  });

  it('goes there and back', () => {
    const view = { x: 0.2, y: -0.1, scale: 173 };
    const [px, py] = toCanvas(view, size, 0.37, 0.21);
    const [bx, by] = fromCanvas(view, size, [px, py]);
    expect(bx).toBeCloseTo(0.37, 12);
    expect(by).toBeCloseTo(0.21, 12);
  });

  it('keeps what is under the pointer while zooming, and has an end', () => {
    const whole = wholeOf(x, y, size);
    const at = [300, 40] as const;
    const before = fromCanvas(whole, size, at);
    const near = zoom(whole, size, 3, at, whole);
    const after = fromCanvas(near, size, at);
    expect(after[0]).toBeCloseTo(before[0], 9);
    expect(after[1]).toBeCloseTo(before[1], 9);
    expect(zoom(whole, size, 1e9, at, whole).scale).toBe(whole.scale * 200);
    expect(zoom(whole, size, 1e-9, at, whole).scale).toBe(whole.scale * 0.5);
    expect(toCanvas(pan(near, 10, -5), size, ...after)).toEqual([
      expect.closeTo(310, 6),
      expect.closeTo(35, 6),
    ]);
  });

  it('finds the point under the pointer and those inside a line', () => {
    const view = wholeOf(x, y, size);
    const at = toCanvas(view, size, 1, 0.5);
    expect(nearest(x, y, view, size, [at[0] + 3, at[1]], 8)).toBe(2);
    expect(nearest(x, y, view, size, [at[0] + 30, at[1]], 8)).toBeNull();
    const corner = (px: number, py: number) => toCanvas(view, size, px, py);
    const line = [corner(-0.2, -0.2), corner(0.8, -0.2), corner(0.8, 0.3), corner(-0.2, 0.3)];
    expect(inside(x, y, view, size, line)).toEqual([1, 3]);
    // A line that turns in on itself leaves its notch out.
    const notch = [
      ...line.slice(0, 3),
      corner(0.45, 0.3),
      corner(0.45, 0.05),
      corner(0.3, 0.3),
      line[3] as (typeof line)[0],
    ];
    expect(inside(x, y, view, size, notch)).toEqual([1, 3]);
    expect(inside(x, y, view, size, line.slice(0, 2))).toEqual([]);
  });

  it('is quick enough for every movement over fifty thousand points', () => {
    const many = Array.from({ length: 50_000 }, (_, at) => Math.sin(at * 12.9898));
    const other = Array.from({ length: 50_000 }, (_, at) => Math.cos(at * 78.233));
    const view = wholeOf(many, other, size);
    const start = performance.now();
    for (let round = 0; round < 10; round += 1) nearest(many, other, view, size, [200, 100], 8);
    // A frame has 16 ms; slow machines get four times that.
    expect((performance.now() - start) / 10).toBeLessThan(64);
  });
});
