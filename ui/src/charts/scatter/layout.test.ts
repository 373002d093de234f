import { describe, expect, it } from 'vitest';
import { front, layout } from './layout';

const point = (id: number, x: number, y: number) => ({ id, x, y });

describe('quality against cost', () => {
  const points = [point(1, 5, 0.5), point(2, 9, 0.7), point(3, 9, 0.6), point(4, 12, 0.7)];

  it('names what nothing beats in both', () => {
    expect(front(points).map((one) => one.id)).toEqual([1, 2]);
    expect(front([])).toEqual([]);
    expect(front([point(1, 3, 0.2), point(2, 3, 0.4)]).map((one) => one.id)).toEqual([2]);
  });

  it('stands within its axes; cheaper is further left, better is higher', () => {
    const plot = layout(points, 500, 240);
    expect(plot.x(5)).toBeLessThan(plot.x(9));
    expect(plot.y(0.7)).toBeLessThan(plot.y(0.5));
    for (const one of points) {
      expect(plot.x(one.x)).toBeLessThanOrEqual(plot.right);
      expect(plot.y(one.y)).toBeGreaterThanOrEqual(plot.top);
    }
    expect(plot.stairs.startsWith('M')).toBe(true);
    expect(layout([], 500, 240).stairs).toBe('');
  });
});
