import { describe, expect, it } from 'vitest';
import { traceOf } from '../../testing/trace';
import { waterfall } from '../../trace/arithmetic';
import { scaled } from './Waterfall';

describe('the bars of the waterfall', () => {
  const trace = traceOf([
    { id: 'm1', knn: 2, bm25: 1, age: 30, reranker: 0.7 },
    { id: 'm2', knn: 5, age: 1, reranker: 0.6 },
  ]);

  it('stay inside the track on two scales', () => {
    const bars = scaled(waterfall(trace, 'm1').steps);
    for (const bar of bars) {
      expect(bar.left).toBeGreaterThanOrEqual(0);
      expect(bar.left + bar.width).toBeLessThanOrEqual(100 + 1e-9);
    }
    expect(bars.find((bar) => bar.kind === 'fused')).toMatchObject({ part: 0, width: 100 });
    expect(bars.find((bar) => bar.kind === 'final')).toMatchObject({ part: 1, width: 100 });
  });

  it('start where the one before ended', () => {
    const [knn, words] = scaled(waterfall(trace, 'm1').steps);
    expect(words?.left).toBeCloseTo((knn?.left ?? 0) + (knn?.width ?? 0), 9);
  });

  it('show decay as what is taken away', () => {
    const decay = scaled(waterfall(trace, 'm1').steps).find((bar) => bar.kind === 'decay');
    expect((decay?.left ?? 0) + (decay?.width ?? 0)).toBeCloseTo(100, 9);
    expect(decay?.width).toBeGreaterThan(0);
  });
});
