/** What changes in a list of results from one set of constants to another. */

export type Change = 'promoted' | 'demoted' | 'fresh' | 'dropped' | 'kept';

export interface Comparison {
  id: string;
  /** Place under A, from 1; null when it is not among A's results. */
  a: number | null;
  b: number | null;
  change: Change;
}

function changeOf(a: number | null, b: number | null): Change {
  if (a === null) return 'fresh';
  if (b === null) return 'dropped';
  if (b < a) return 'promoted';
  return b > a ? 'demoted' : 'kept';
}

/** Every memory that either list holds: B's order, then what B dropped in A's order. */
export function compare(a: readonly string[], b: readonly string[]): Comparison[] {
  const place = (list: readonly string[], id: string) => {
    const index = list.indexOf(id);
    return index < 0 ? null : index + 1;
  };
  const dropped = a.filter((id) => !b.includes(id));
  return [...b, ...dropped].map((id) => {
    const [left, right] = [place(a, id), place(b, id)];
    return { id, a: left, b: right, change: changeOf(left, right) };
  });
}

/** How many of each. */
export function tally(rows: readonly Comparison[]): Record<Change, number> {
  const sums: Record<Change, number> = { promoted: 0, demoted: 0, fresh: 0, dropped: 0, kept: 0 };
  for (const row of rows) sums[row.change] += 1;
  return sums;
}
