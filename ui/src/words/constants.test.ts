import { describe, expect, it } from 'vitest';
import type { FixView } from '../ipc/bindings';
import { bandNote, bandsOf, interval, SPECS, settable, shown, specOf } from './constants';

const fix = (
  constant: string,
  intervals: [number, number][],
  extra: Partial<FixView> = {},
): FixView => ({
  constant,
  current: 1,
  intervals,
  nearest: intervals[0]?.[0] ?? null,
  gained: 0,
  lost: 0,
  ndcg_delta: null,
  ...extra,
});
const spec = (name: string) => specOf(name) ?? (SPECS[0] as (typeof SPECS)[number]);

describe('constants in words', () => {
  it.each([
    ['half_life_days', 14, '14 d'],
    ['half_life_days', 0.5, '0.5 d'],
    ['decay_floor', 0.7, '0.70'],
    ['candidates', 40, '40'],
  ])('%s %d', (name, value, text) => expect(shown(name, value)).toBe(text));

  it.each([
    ['candidates', [63, 500], '≥ 63'],
    ['rrf_k', [0, 12], '≤ 12'],
    ['half_life_days', [41, 90], '41–90 d'],
    ['results', [7, 7], '= 7'],
    ['rerank_window', [0, 0], '= 0'],
    // The track ends at 200, the range at 1000: what is said must not reach beyond what was found.
    ['rrf_k', [150, 250], '150–250'],
    ['rrf_k', [150, 1000], '≥ 150'],
    ['half_life_days', [0.3, 20], '0.3–20 d'],
    ['half_life_days', [0.1, 20], '≤ 20 d'],
    ['knn_weight', [4, 7], '4.00–7.00'],
  ] as const)('interval of %s', (name, band, text) => expect(interval(name, band)).toBe(text));
});

describe('the green band', () => {
  it('is cut to the track', () => {
    expect(bandsOf(fix('rrf_k', [[150, 1000]]), spec('rrf_k'))).toEqual([[150, 200]]);
    expect(bandsOf(fix('rrf_k', [[500, 1000]]), spec('rrf_k'))).toEqual([]);
  });
  it('says when nothing works and when all is well', () => {
    expect(bandNote(fix('rrf_k', []))).toBe('no value alone works');
    expect(bandNote(fix('rrf_k', [[0, 60]]))).toBe('works as it is');
    expect(bandNote(fix('candidates', [[63, 500]]))).toBe('≥ 63 works');
  });
});

describe('the value that Try sets', () => {
  it('is rounded into the interval, never out of it', () => {
    const bm25 = fix('bm25_weight', [[1.573, 5]], { nearest: 1.573 });
    expect(settable(bm25)).toBe(1.6);
    const floor = fix('decay_floor', [[0.2, 0.417]], { current: 0.7, nearest: 0.417 });
    expect(settable(floor)).toBe(0.41);
  });
  it('keeps a value that no step of the slider reaches', () => {
    expect(settable(fix('bm25_weight', [[1.573, 1.58]], { nearest: 1.573 }))).toBe(1.573);
  });
  it('is absent when impossible', () => {
    expect(settable(fix('rrf_k', []))).toBeNull();
  });
});
