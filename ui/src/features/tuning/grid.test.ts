import { describe, expect, it } from 'vitest';
import { shade } from '../../charts/heatmap/Heatmap';
import type { SweepRequest, SweepView } from '../../ipc/bindings';
import { STANDARD } from '../../testing/trace';
import { begin, done, measureRow, peak, presentAt } from './grid';
import { findingOf } from './SweepTwo';

const SCORES = { success_5: 0, mrr_10: 0, recall_10: 0 };
const VALUES: Record<string, number[]> = { rrf_k: [5, 60], decay_floor: [0.4, 0.7, 1] };

/** A core whose score falls with the distance from k 5 and floor 1. */
function core() {
  const asked: SweepRequest[] = [];
  return {
    asked,
    sweep: async (request: SweepRequest): Promise<SweepView> => {
      asked.push(request);
      const score = (value: number) => {
        const all = { ...STANDARD, ...request.constants, [request.constant]: value };
        return 0.9 - Math.abs(all.rrf_k - 5) / 1000 - Math.abs(all.decay_floor - 1) / 10;
      };
      const points = (VALUES[request.constant] ?? []).map((value) => ({
        value,
        scores: { ...SCORES, ndcg_10: score(value) },
        low: 0,
        high: 1,
      }));
      return { points, queries: 7 } as unknown as SweepView;
    },
  };
}

describe('two constants', () => {
  it('are measured row by row, the present row only once, and name the best pair', async () => {
    const port = core();
    let grid = await begin(port, 'rrf_k', 'decay_floor', STANDARD, null);
    expect(done(grid)).toBe(1);
    expect(presentAt(grid)).toEqual([1, 1]);
    // Half-way: what is known is a finding already.
    expect(findingOf(grid)).toMatch(/^RRF k 5 and decay floor 0\.70/);
    for (let next = await measureRow(port, grid); next; next = await measureRow(port, grid))
      grid = next;
    expect(port.asked).toHaveLength(4);
    expect(port.asked.at(-1)?.constants.decay_floor).toBe(1);
    expect(peak(grid)).toMatchObject({ at: [0, 2] });
    expect(peak(grid)?.value).toBeCloseTo(0.9, 9);
    expect(findingOf(grid)).toMatch(/^RRF k 5 and decay floor 1\.00 .*0\.900.*0\.815/);
  });

  it('prefer the nearest of equals, so that nothing is changed without a gain', async () => {
    const port = core();
    const flat = {
      sweep: async (request: SweepRequest) => {
        const view = await port.sweep(request);
        for (const point of view.points) point.scores.ndcg_10 = 0.5;
        return view;
      },
    };
    const grid = await begin(flat, 'rrf_k', 'decay_floor', STANDARD, null);
    expect(peak(grid)?.at).toEqual([1, 1]);
    expect(findingOf(grid)).toMatch(/^No pair is better/);
  });
});

describe('a shade', () => {
  it('spans from the least to the greatest and is even where all are equal', () => {
    expect([shade(1, 1, 3), shade(2, 1, 3), shade(3, 1, 3)]).toEqual([0, 50, 100]);
    expect(shade(2, 2, 2)).toBe(0);
  });
});
