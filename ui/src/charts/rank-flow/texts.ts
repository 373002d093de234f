/** The words in the chart: each beside what it names, and none over another. */

import type {
  ColumnKey,
  FlowInput,
  FlowLabel,
  FlowLine,
  FlowMark,
  FlowRibbon,
  FlowText,
} from './shape';

export interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** About how wide a letter is, and how far letters reach above and below their line, in pixels. */
const LETTER: Record<FlowText['kind'], number> = {
  ...{ mark: 5.7, exit: 6.3, beyond: 6.6, ribbon: 5.7, fixed: 5.7 },
};
const ABOVE = 9;
const BELOW = 3;

/** How far a word may move from its place, nearest first. */
const SHIFTS = [0, 13, -13, 26, -26, 39, -39, 52, -52, 65, -65, 78, -78, 91, -91, 104, -104];

export function boxOf({ kind, text, x, y, anchor }: FlowText): Box {
  const width = text.length * LETTER[kind];
  const left = anchor === 'start' ? x : anchor === 'end' ? x - width : x - width / 2;
  return { left, right: left + width, top: y - ABOVE, bottom: y + BELOW };
}

export const overlap = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/**
 * Places words in the order given, so that the first keeps its place. A word that finds none within
 * reach is left out: what it says stands in the table and in the sentence above the chart.
 */
export function settled(
  texts: readonly FlowText[],
  taken: readonly Box[],
  room: { width: number; top: number; bottom: number },
): FlowText[] {
  const boxes = [...taken];
  const placed: FlowText[] = [];
  for (const text of texts) {
    const inside = held(text, room.width);
    const free = SHIFTS.map((by) => ({ ...inside, y: inside.y + by })).find((tried) => {
      const box = boxOf(tried);
      if (box.top < room.top || box.bottom > room.bottom) return false;
      return boxes.every((other) => !overlap(box, other));
    });
    if (!free) continue;
    placed.push(free);
    boxes.push(boxOf(free));
  }
  return placed;
}

/** A word that would be cut at an edge stands at that edge. */
function held(text: FlowText, width: number): FlowText {
  const { left, right } = boxOf(text);
  if (right > width - 4) return { ...text, x: width - 4, anchor: 'end' };
  if (left < 4) return { ...text, x: 4, anchor: 'start' };
  return text;
}

/** Every word with where it would stand if it were alone; the most telling first. */
export function wordsOf(chart: {
  input: FlowInput;
  lines: readonly FlowLine[];
  marks: readonly FlowMark[];
  bands: readonly FlowRibbon[];
  x: Record<ColumnKey, number>;
  labels: readonly FlowLabel[];
  labelX: number;
  /** The edges above and below the columns. */
  top: number;
  bottom: number;
}): FlowText[] {
  const { width, height, columns } = chart.input;
  const texts: FlowText[] = [];
  for (const { exit, points: found } of chart.lines) {
    if (exit?.label) {
      const { x, y, isBack } = exit;
      const beside = isBack ? { x, y: y + 17 } : { x: x + 7, y: y + 5 };
      texts.push({ kind: 'exit', text: exit.label, ...beside, anchor: isBack ? 'end' : 'start' });
    }
    for (const { x, y, rank } of found.filter(({ beyond }) => beyond)) {
      texts.push({ kind: 'beyond', text: `${rank}`, x: x + 11, y: y + 4, anchor: 'start' });
    }
  }
  for (const { column, x1, x2, y } of chart.marks) {
    const limit = columns.find(({ key }) => key === column)?.limit;
    if (!limit) continue;
    const place =
      column === 'final'
        ? { x: x2, y: y + 12, anchor: 'end' as const }
        : { x: x1, y: y - 4, anchor: 'start' as const };
    texts.push({ kind: 'mark', text: limit.label, ...place });
    if (limit.cut) {
      texts.push({ kind: 'mark', text: limit.cut, x: x1, y: y + 12, anchor: 'start' });
    }
  }
  for (const { label: text, points: found } of chart.bands) {
    const last = found.at(-1);
    if (last) texts.push({ kind: 'ribbon', text, x: last.x + 14, y: last.y + 4, anchor: 'start' });
  }
  // Names of columns stand above, the words of the legs below, names of results beside the last one.
  const beside = chart.labels.map(
    ({ y }): Box => ({ left: chart.labelX, right: width, top: y - 9, bottom: y + 9 }),
  );
  return settled(texts, beside, { width, top: chart.top - 14, bottom: height - chart.bottom });
}
