/**
 * The geometry of the rank flow: where every memory stands in every column, without drawing it.
 *
 * Ranks grow downwards. The first ranks get full rows, so that names fit beside the last column;
 * when a list is longer than the window, deeper ranks are squeezed by their logarithm instead of
 * being cut away: a memory on rank 63 is still below the one on rank 40.
 */
import { scaleLinear, scaleLog } from 'd3-scale';
import { ribbons } from './ribbons';
import {
  COLUMNS,
  type ColumnKey,
  type Fate,
  type FlowInput,
  type FlowLabel,
  type FlowLayout,
  type FlowLine,
  type FlowMark,
  type FlowPoint,
} from './shape';
import { wordsOf } from './texts';

export * from './shape';

export const TOP = 44;
export const BOTTOM = 26;
const ROW = 23;
const LEAST_ROW = 15;
/** About how wide a letter of a label is. */
const LETTER = 6.4;
const LEFT = 44;
/** Lines drawn at most: more cannot be told apart. */
const MOST = 30;
/** The best of each leg are drawn even when they got no further. */
const LEG_BEST = 10;

/** Rank to y: linear over the first `full` ranks, logarithmic below when the rest is too deep. */
export function rankScale(
  deepest: number,
  named: number,
  space: number,
): { y: (rank: number) => number; row: number } {
  const room = Math.max(space, LEAST_ROW * 2);
  const fits = Math.min(ROW, room / Math.max(deepest - 1, 1));
  if (fits >= LEAST_ROW) return { y: (rank) => (rank - 1) * fits, row: fits };
  // Names need their rows; what is deeper shares at least a third of the height.
  const row = Math.max(Math.min(ROW, (room * 0.62) / Math.max(named, 1)), 6);
  const full = Math.max(2, Math.min(named + 1, Math.floor((room * 0.66) / row)));
  const edge = (full - 1) * row;
  const head = scaleLinear().domain([1, full]).range([0, edge]);
  const tail = scaleLog()
    .domain([full, Math.max(deepest, full + 1)])
    .range([edge, room]);
  return { y: (rank) => (rank <= full ? head(rank) : tail(rank)), row };
}

/** Where a chart is narrower than this, its ends are labelled by place alone. */
const NAMED = 640;
/** Room for a place. */
const PLACE = 46;

/** Whether there is room for names beside the last column. */
export const isNamed = (width: number): boolean => width >= NAMED;

/** How far apart the columns stand, and where the names begin. */
export function columnX(width: number): { x: Record<ColumnKey, number>; labelX: number } {
  const names = isNamed(width) ? Math.min(Math.max(width * 0.31, 120), 420) : PLACE;
  const last = Math.max(width - names, LEFT + (COLUMNS.length - 1) * 44);
  const gap = (last - LEFT) / (COLUMNS.length - 1);
  const x = Object.fromEntries(COLUMNS.map((key, index) => [key, LEFT + gap * index])) as Record<
    ColumnKey,
    number
  >;
  return { x, labelX: last + 14 };
}

/**
 * Which memories get a line: the results, the expected one, whoever reached the reranker, the best
 * of each leg; then, while there is room, the rest of the fused list.
 */
function drawn(input: FlowInput): { ids: string[]; rest: string[] } {
  const most = input.most ?? MOST;
  const ids = new Set<string>(input.results);
  if (input.expected) ids.add(input.expected.id);
  const all = new Set<string>(ids);
  for (const column of input.columns) for (const id of column.ranks.keys()) all.add(id);
  const take = (key: ColumnKey, best: number) => {
    const column = input.columns.find((entry) => entry.key === key);
    for (const [id, rank] of [...(column?.ranks ?? [])].sort((a, b) => a[1] - b[1])) {
      if (ids.size >= most || rank > best) break;
      ids.add(id);
    }
  };
  take('rerank', Number.POSITIVE_INFINITY);
  take('knn', LEG_BEST);
  take('bm25', LEG_BEST);
  take('sparse', LEG_BEST);
  take('decay', Number.POSITIVE_INFINITY);
  return { ids: [...ids], rest: [...all].filter((id) => !ids.has(id)) };
}

function fateOf(input: FlowInput, id: string): Fate {
  if (input.expected?.id === id) return 'expected';
  return input.results.includes(id) ? 'result' : 'left';
}

function points(input: FlowInput, id: string): Array<Omit<FlowPoint, 'x' | 'y'>> {
  const beyond = input.expected?.id === id ? input.expected.beyond : {};
  const found: Array<Omit<FlowPoint, 'x' | 'y'>> = [];
  for (const column of input.columns) {
    const counted = column.ranks.get(id);
    const rank = counted ?? beyond[column.key];
    if (rank !== undefined) {
      found.push({ column: column.key, rank, beyond: counted === undefined });
    }
  }
  return found;
}

/** Lays out the whole chart. */
export function layout(input: FlowInput): FlowLayout {
  const { width, height } = input;
  const { x, labelX } = columnX(width);
  const { ids, rest } = drawn(input);
  const raw = ids.map((id) => ({ id, points: points(input, id) })).filter((l) => l.points.length);
  const deepest = Math.max(
    2,
    ...raw.flatMap((line) => line.points.map((point) => point.rank)),
    ...input.columns.map((column) => {
      const held = Math.max(0, ...column.ranks.values());
      return column.limit && held > column.limit.rank - 1 ? column.limit.rank : 0;
    }),
  );
  const space = height - TOP - BOTTOM - 8;
  const { y, row } = rankScale(deepest, Math.max(input.results.length, 5), space);
  const at = (rank: number) => TOP + 8 + y(rank);

  const lines = raw.map(({ id, points: found }): FlowLine => {
    const placed = found.map((point) => ({ ...point, x: x[point.column], y: at(point.rank) }));
    const fate = fateOf(input, id);
    const last = placed[placed.length - 1];
    const column = last && input.columns.find((entry) => entry.key === last.column);
    const ends =
      last && last.column !== 'final' && (column?.leaving.has(id) || fate === 'expected');
    const label = fate === 'expected' ? (input.expected?.exit ?? '') : '';
    const [right, down] = fate === 'expected' ? [30, 13] : [15, 7];
    const exit =
      last && ends
        ? {
            x: last.x + right,
            y: last.y + down,
            label,
            isBack: last.x + right + label.length * LETTER > width - 12,
          }
        : null;
    return { id, fate, points: placed, exit };
  });
  // The expected memory is drawn last, above all others; results above those that left. Among
  // themselves by name: by rank, every answer would take lines out of the drawing and put them back.
  const order: Record<Fate, number> = { left: 0, result: 1, expected: 2 };
  lines.sort((a, b) => order[a.fate] - order[b.fate] || (a.id < b.id ? -1 : 1));

  const gap = x.bm25 - x.knn;
  const marks = input.columns.flatMap((column): FlowMark[] => {
    const limit = column.limit;
    if (!limit || limit.rank >= deepest) return [];
    const half = (at(limit.rank + 1) - at(limit.rank)) / 2;
    // Names stand beside the last column: the line keeps clear of the lowest one.
    const middle = at(limit.rank) + (column.key === 'final' ? Math.max(half, 11) : half);
    const reach = Math.min(24, gap / 3);
    const to = column.key === 'final' ? width - 10 : x[column.key] + reach;
    return [
      { column: column.key, x1: x[column.key] - reach, x2: to, y: middle, label: limit.label },
    ];
  });
  const final = input.columns.find((column) => column.key === 'final');
  const bands = ribbons(rest, input.columns, input.duplicates, x, (rank) =>
    at(Math.min(rank, deepest)),
  );
  const labels = [...(final?.ranks ?? [])]
    .sort((a, b) => a[1] - b[1])
    .map(([id, rank]) => ({ id, rank, y: at(rank) }));
  const names = spaced(labels);
  return {
    width,
    height,
    top: TOP,
    bottom: BOTTOM,
    x,
    lines,
    marks,
    ribbons: bands,
    texts: wordsOf({
      input,
      lines,
      marks,
      bands,
      x,
      labels: names,
      labelX,
      top: TOP,
      bottom: BOTTOM,
    }),
    labels: names,
    labelX,
    row,
    hidden: rest.length,
  };
}

/** Leaves out names that would overprint the one above. */
function spaced(labels: FlowLabel[]): FlowLabel[] {
  let below = Number.NEGATIVE_INFINITY;
  return labels.filter((label) => {
    if (label.y - below < LEAST_ROW - 2) return false;
    below = label.y;
    return true;
  });
}

/** The smooth path through the points, level at every column. */
export function pathOf(points: ReadonlyArray<{ x: number; y: number }>): string {
  let path = '';
  points.forEach((point, index) => {
    const before = points[index - 1];
    const px = round(point.x);
    const py = round(point.y);
    if (!before) {
      path = `M${px} ${py}`;
      return;
    }
    const middle = round((before.x + point.x) / 2);
    path += `C${middle} ${round(before.y)} ${middle} ${py} ${px} ${py}`;
  });
  return path;
}

/** A dot at each point: strokes too short to see, for a pen with a round tip. */
export function dotsOf(points: ReadonlyArray<{ x: number; y: number }>): string {
  return points.map((point) => `M${round(point.x)} ${round(point.y)}h.01`).join('');
}

const round = (value: number) => Math.round(value * 10) / 10;

/**
 * The same layout with the line objects of the one before wherever they look the same: a line that
 * stays where it is need not be drawn again.
 */
export function kept(before: FlowLayout, next: FlowLayout): FlowLayout {
  const old = new Map(before.lines.map((line) => [line.id, line]));
  const lines = next.lines.map((line) => {
    const held = old.get(line.id);
    return held && looksLike(held, line) ? held : line;
  });
  return { ...next, lines };
}

function looksLike(a: FlowLine, b: FlowLine): boolean {
  return (
    a.fate === b.fate &&
    a.exit?.x === b.exit?.x &&
    a.exit?.y === b.exit?.y &&
    a.exit?.label === b.exit?.label &&
    a.points.length === b.points.length &&
    a.points.every((point, index) => {
      const other = b.points[index];
      return (
        other !== undefined &&
        point.column === other.column &&
        point.x === other.x &&
        point.y === other.y &&
        point.rank === other.rank &&
        point.beyond === other.beyond
      );
    })
  );
}

/** Positions between two layouts: what both know moves, what is new stands where it belongs. */
export function between(from: FlowLayout, to: FlowLayout, share: number): FlowLayout {
  if (share >= 1 || from.width !== to.width) return to;
  const old = new Map<string, number>();
  const still = new Set(from.lines);
  for (const line of from.lines) {
    for (const point of line.points) old.set(`${line.id} ${point.column}`, point.y);
  }
  const mix = (before: number | undefined, after: number) =>
    before === undefined ? after : before + (after - before) * share;
  const lines = to.lines.map((line) => {
    if (still.has(line)) return line;
    const moved = line.points.map((point) => ({
      ...point,
      y: mix(old.get(`${line.id} ${point.column}`), point.y),
    }));
    const last = moved[moved.length - 1];
    const target = line.points[line.points.length - 1];
    const shift = last && target ? last.y - target.y : 0;
    const exit = line.exit && { ...line.exit, y: line.exit.y + shift };
    return { ...line, points: moved, exit };
  });
  const labels = to.labels.map((label) => ({
    ...label,
    y: mix(old.get(`${label.id} final`), label.y),
  }));
  return { ...to, lines, labels };
}
