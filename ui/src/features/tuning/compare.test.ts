import { describe, expect, it } from 'vitest';
import { compare, tally } from './compare';

describe('two lists of results', () => {
  const rows = compare(['m1', 'm2', 'm3', 'm4'], ['m3', 'm1', 'm5', 'm4']);

  it('names what happened to every memory', () => {
    expect(rows.map((row) => [row.id, row.a, row.b, row.change])).toEqual([
      ['m3', 3, 1, 'promoted'],
      ['m1', 1, 2, 'demoted'],
      ['m5', null, 3, 'fresh'],
      ['m4', 4, 4, 'kept'],
      ['m2', 2, null, 'dropped'],
    ]);
  });

  it('counts', () => {
    expect(tally(rows)).toEqual({ promoted: 1, demoted: 1, fresh: 1, dropped: 1, kept: 1 });
  });

  it('is quiet about equal lists', () => {
    expect(tally(compare(['m1', 'm2'], ['m1', 'm2']))).toMatchObject({ kept: 2, promoted: 0 });
    expect(compare([], [])).toEqual([]);
  });
});
