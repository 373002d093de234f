/** What has no line of its own: one ribbon per fate, as thick as many memories share it. */
import { xray } from '../../locales/en/xray';
import type { ColumnKey, Cut, FlowColumn, FlowRibbon } from './shape';

const THINNEST = 3;
const THICKEST = 14;

/** A thousand memories are not a hundred times as thick as ten. */
const thickness = (count: number) => Math.min(THICKEST, THINNEST + 2 * Math.log2(count));

/** Where a memory that is no result went no further. */
function cutOf(
  id: string,
  columns: readonly FlowColumn[],
  duplicates: ReadonlySet<string> | undefined,
): Cut {
  if (duplicates?.has(id)) return 'duplicate';
  const rerank = columns.find((column) => column.key === 'rerank');
  // Without a reranker there is no window to fall below.
  return rerank?.ran === false || rerank?.ranks.has(id) ? 'top' : 'window';
}

/** One ribbon per fate that somebody shares; `at` is the height of a rank. */
export function ribbons(
  ids: readonly string[],
  columns: readonly FlowColumn[],
  duplicates: ReadonlySet<string> | undefined,
  x: Record<ColumnKey, number>,
  at: (rank: number) => number,
): FlowRibbon[] {
  const groups = new Map<Cut, string[]>();
  for (const id of ids) {
    const fate = cutOf(id, columns, duplicates);
    groups.set(fate, [...(groups.get(fate) ?? []), id]);
  }
  return [...groups].map(([fate, members]) => ({
    fate,
    count: members.length,
    thickness: thickness(members.length),
    label: xray.flow.ribbon[fate](members.length),
    points: columns.flatMap(({ key, ranks }) => {
      const heights = members.flatMap((id) => {
        const rank = ranks.get(id);
        return rank === undefined ? [] : [at(rank)];
      });
      if (heights.length === 0) return [];
      const y = heights.reduce((sum, height) => sum + height, 0) / heights.length;
      return [{ column: key, x: x[key], y }];
    }),
  }));
}
