import { describe, expect, it } from 'vitest';
import { type Axis, layout, moved, passes } from './layout';

const axis = (scale: 'linear' | 'log'): Axis => ({ label: 'k', scale, format: String });
const line = (id: number, ...values: number[]) => ({ id, values });

describe('parallel coordinates', () => {
  const axes = [axis('linear'), axis('log'), axis('linear')];
  const lines = [line(1, 0, 1, 5), line(2, 10, 10, 5), line(3, 5, 100, 5)];
  const plot = layout(axes, lines, 700, 300);

  it('stand evenly, more is higher', () => {
    const [a, b, c] = plot.axes.map((one) => one.x);
    expect((b ?? 0) - (a ?? 0)).toBeCloseTo((c ?? 0) - (b ?? 0));
    const first = plot.axes[0];
    expect(first?.y(10)).toBe(plot.top);
    expect(first?.y(0)).toBe(plot.bottom);
    expect(first?.y(5)).toBeCloseTo((plot.top + plot.bottom) / 2);
  });

  it('give decades the same room, and nought the foot of its axis', () => {
    const log = plot.axes[1];
    expect((log?.y(1) ?? 0) - (log?.y(10) ?? 0)).toBeCloseTo(
      (log?.y(10) ?? 0) - (log?.y(100) ?? 0),
    );
    const withNought = layout([axis('log')], [line(1, 0), line(2, 1), line(3, 8)], 300, 300);
    expect(withNought.axes[0]?.y(0)).toBe(withNought.bottom);
    expect(withNought.axes[0]?.y(1)).toBeLessThan(withNought.bottom);
    expect(withNought.axes[0]?.at(withNought.bottom)).toBe(0);
  });

  it('find the value at a height again, and keep it on the axis', () => {
    for (const one of plot.axes.slice(0, 2)) expect(one.at(one.y(10))).toBeCloseTo(10);
    expect(plot.axes[0]?.at(-50)).toBeCloseTo(10);
    expect(plot.axes[0]?.at(900)).toBeCloseTo(0);
  });

  it('draw every line across all axes, also where all values are the same', () => {
    for (const one of lines) expect(plot.paths.get(one.id)?.split('L')).toHaveLength(3);
    expect(plot.axes[2]?.y(5)).toBeCloseTo((plot.top + plot.bottom) / 2);
    expect(plot.axes[2]?.stops).toEqual([5]);
  });

  it('let through what lies within every brush, ends included', () => {
    const brushes = [[0, 5] as const, null, null];
    expect(lines.filter((one) => passes(one, brushes)).map((one) => one.id)).toEqual([1, 3]);
    const both = moved(brushes, 1, [100, 10]);
    expect(both[1]).toEqual([10, 100]);
    expect(lines.filter((one) => passes(one, both)).map((one) => one.id)).toEqual([3]);
    expect(moved(both, 0, null)[0]).toBeNull();
  });
});
