import { describe, expect, it } from 'vitest';
import { layout, type Point } from './layout';

const point = (value: number, mean: number): Point => ({
  value,
  mean,
  low: mean - 0.05,
  high: mean + 0.05,
});

describe('a sweep', () => {
  const plot = layout({
    points: [point(0, 0.4), point(10, 0.6), point(20, 0.5)],
    width: 400,
    height: 200,
    scale: 'linear',
  });

  it('stands inside its axes, better means higher', () => {
    expect(plot.dots.map((dot) => dot.x)).toEqual([plot.left, expect.any(Number), plot.right]);
    expect(plot.dots[1]?.y).toBeLessThan(plot.dots[2]?.y ?? 0);
    for (const dot of plot.dots) {
      expect(dot.y).toBeGreaterThanOrEqual(plot.top);
      expect(dot.y).toBeLessThanOrEqual(plot.bottom);
    }
    expect(plot.line.startsWith('M')).toBe(true);
    expect(plot.band.split('L')).toHaveLength(6);
  });

  it('gives decades the same room, and nought the left edge', () => {
    const log = layout({
      points: [point(0, 0.4), point(1, 0.4), point(10, 0.5), point(100, 0.6)],
      width: 400,
      height: 200,
      scale: 'log',
    });
    const [zero, one, ten, hundred] = log.dots.map((dot) => dot.x);
    expect(zero).toBe(log.left);
    expect((ten ?? 0) - (one ?? 0)).toBeCloseTo((hundred ?? 0) - (ten ?? 0));
  });

  it('does not make a mountain of equal scores', () => {
    const flat = layout({
      points: [point(1, 0.5), point(2, 0.501)].map((one) => ({
        ...one,
        low: one.mean,
        high: one.mean,
      })),
      width: 400,
      height: 200,
      scale: 'linear',
    });
    const [a, b] = flat.dots.map((dot) => dot.y);
    expect(Math.abs((a ?? 0) - (b ?? 0))).toBeLessThan(3);
  });

  it('survives a single point', () => {
    const one = layout({ points: [point(5, 0.5)], width: 300, height: 150, scale: 'log' });
    expect(Number.isFinite(one.dots[0]?.x)).toBe(true);
  });
});
