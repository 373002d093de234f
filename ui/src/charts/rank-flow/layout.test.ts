import { describe, expect, it } from 'vitest';
import {
  between,
  COLUMNS,
  type ColumnKey,
  type FlowColumn,
  type FlowInput,
  kept,
  layout,
  pathOf,
  rankScale,
} from './layout';
import { boxOf, overlap } from './texts';

const column = (key: ColumnKey, ids: string[], extra: Partial<FlowColumn> = {}): FlowColumn => ({
  key,
  ranks: new Map(ids.map((id, index) => [id, index + 1])),
  leaving: new Set(),
  ran: true,
  ...extra,
});

const input = (extra: Partial<FlowInput> = {}): FlowInput => ({
  columns: [
    column('knn', ['m1', 'm2', 'm3']),
    column('bm25', ['m2', 'm4']),
    column('sparse', ['m2', 'm1']),
    column('fusion', ['m2', 'm1', 'm3', 'm4']),
    column('decay', ['m2', 'm3', 'm1', 'm4'], { leaving: new Set(['m4']) }),
    column('rerank', ['m3', 'm2', 'm1'], { leaving: new Set(['m1']) }),
    column('final', ['m3', 'm2']),
  ],
  results: ['m3', 'm2'],
  width: 854,
  height: 470,
  ...extra,
});

describe('the rank scale', () => {
  it('gives full rows while everything fits', () => {
    const { y, row } = rankScale(12, 5, 400);
    expect(row).toBe(23);
    expect(y(1)).toBe(0);
    expect(y(12)).toBe(11 * 23);
  });

  it('squeezes deep ranks, stays inside and never turns around', () => {
    const { y } = rankScale(120, 10, 400);
    expect(y(120)).toBeCloseTo(400, 6);
    for (let rank = 1; rank < 120; rank += 1) expect(y(rank + 1)).toBeGreaterThan(y(rank));
    expect(y(2) - y(1)).toBeGreaterThanOrEqual(15);
  });

  it('survives a window without height', () => {
    const { y } = rankScale(80, 10, 0);
    expect(Number.isFinite(y(80))).toBe(true);
    expect(y(80)).toBeGreaterThan(y(1));
  });
});

describe('the layout', () => {
  it('draws a line through every column that holds a memory and skips the others', () => {
    const { lines } = layout(input());
    const columns = (id: string) => lines.find((l) => l.id === id)?.points.map((p) => p.column);
    expect(columns('m2')).toEqual([...COLUMNS]);
    expect(columns('m4')).toEqual(['bm25', 'fusion', 'decay']);
  });

  it('ends a line with a stroke exactly where the memory left', () => {
    const { lines } = layout(input());
    const exits = lines.filter((line) => line.exit).map((line) => line.id);
    expect(exits.sort()).toEqual(['m1', 'm4']);
    expect(lines.find((line) => line.id === 'm3')?.exit).toBeNull();
  });

  it('puts the expected memory on top, beyond the cutoff as a hollow point', () => {
    const chart = layout(
      input({ expected: { id: 'm4', beyond: { knn: 63 }, exit: 'outside the window' } }),
    );
    const line = chart.lines[chart.lines.length - 1];
    expect(line?.id).toBe('m4');
    expect(line?.fate).toBe('expected');
    expect(line?.points[0]).toMatchObject({ column: 'knn', rank: 63, beyond: true });
    expect(line?.points[1]?.beyond).toBe(false);
    expect(line?.exit?.label).toBe('outside the window');
    expect(line?.exit?.isBack).toBe(false);
  });

  it('marks a limit only where something lies below it', () => {
    const limit = { rank: 2, label: 'top 2' };
    const columns = input().columns.map((c) => (c.key === 'rerank' ? { ...c, limit } : c));
    expect(layout(input({ columns })).marks.map((mark) => mark.label)).toEqual(['top 2']);
    const deep = columns.map((c) => ({ ...c, limit: { rank: 40, label: 'cutoff 40' } }));
    expect(layout(input({ columns: deep })).marks).toEqual([]);
  });

  it('counts what it does not draw and never leaves out a result', () => {
    const ids = Array.from({ length: 90 }, (_, index) => `m${index}`);
    const chart = layout(
      input({
        columns: [
          column('knn', []),
          ...(['bm25', 'sparse', 'fusion', 'rerank'] as const).map((key) => column(key, [])),
          column('decay', ids),
          column('final', ['m89']),
        ],
        results: ['m89'],
        most: 20,
      }),
    );
    expect(chart.lines).toHaveLength(20);
    expect(chart.lines.some((line) => line.id === 'm89')).toBe(true);
    expect(chart.hidden).toBe(70);
  });

  it('keeps names apart', () => {
    const ids = Array.from({ length: 100 }, (_, index) => `m${index}`);
    const columns = input().columns.map((c) => (c.key === 'final' ? column('final', ids) : c));
    const { labels } = layout(input({ columns, results: ids, most: 120 }));
    for (let i = 1; i < labels.length; i += 1) {
      expect((labels[i]?.y ?? 0) - (labels[i - 1]?.y ?? 0)).toBeGreaterThanOrEqual(13);
    }
    expect(labels[0]?.id).toBe('m0');
  });

  it('labels its ends by place alone where it is narrow, and keeps the words of an exit inside', () => {
    const expected = { id: 'm4', beyond: {}, exit: 'outside the rerank window: 25th of 20' };
    const chart = layout(input({ width: 480, expected }));
    expect(chart.x.final).toBeGreaterThan(480 - 50);
    const exit = chart.lines.at(-1)?.exit;
    expect(exit?.isBack).toBe(true);
    expect(exit?.x).toBeLessThan(480);
  });

  it('grows with the window', () => {
    const small = layout(input({ width: 700 }));
    const large = layout(input({ width: 1400 }));
    expect(large.x.final).toBeGreaterThan(small.x.final);
    expect(large.labelX).toBeLessThan(1400);
  });
});

describe('the path', () => {
  it('is level at each column', () => {
    expect(
      pathOf([
        { x: 0, y: 10 },
        { x: 100, y: 30 },
      ]),
    ).toBe('M0 10C50 10 50 30 100 30');
  });
  it('is empty without points', () => {
    expect(pathOf([])).toBe('');
  });
});

describe('moving from one layout to the next', () => {
  it('starts at the old places and ends at the new ones', () => {
    const before = layout(input());
    const swapped = input().columns.map((c) =>
      c.key === 'final' ? column('final', ['m2', 'm3']) : c,
    );
    const after = layout(input({ columns: swapped, results: ['m2', 'm3'] }));
    const y = (chart: typeof after) =>
      chart.lines.find((line) => line.id === 'm2')?.points.find((p) => p.column === 'final')?.y ??
      0;
    expect(y(between(before, after, 0))).toBe(y(before));
    expect(y(between(before, after, 1))).toBe(y(after));
    const half = y(between(before, after, 0.5));
    expect(half).toBeCloseTo((y(before) + y(after)) / 2, 6);
  });
});

describe('a line that stays', () => {
  const before = layout(input());
  const after = kept(before, layout(input({ columns: swapped(input().columns) })));
  const line = (chart: typeof before, id: string) => chart.lines.find((one) => one.id === id);

  it('is the same object, on the way as well', () => {
    expect(line(after, 'm1')).toBe(line(before, 'm1'));
    expect(line(between(before, after, 0.5), 'm1')).toBe(line(before, 'm1'));
  });

  it('is another one as soon as it moves', () => {
    expect(line(after, 'm2')).not.toBe(line(before, 'm2'));
    expect(line(between(before, after, 0.5), 'm2')).not.toBe(line(before, 'm2'));
  });
});

/** The first two of the decay column change places. */
function swapped(columns: readonly FlowColumn[]): FlowColumn[] {
  return columns.map((held) =>
    held.key === 'decay'
      ? {
          ...held,
          ranks: new Map([...held.ranks].map(([id, rank]) => [id, rank < 3 ? 3 - rank : rank])),
        }
      : held,
  );
}

describe('many candidates', () => {
  const many = Array.from({ length: 500 }, (_, index) => `m${index}`);
  const crowded = (size: { width: number; height: number }) =>
    layout({
      columns: [
        column('knn', many.slice(0, 200), {
          limit: { rank: 190, label: 'cutoff 190', cut: '40,000 cut' },
        }),
        column('bm25', many.slice(100, 300), {
          limit: { rank: 190, label: 'cutoff 190', cut: '60 cut' },
        }),
        column('sparse', many.slice(150, 350), {
          limit: { rank: 190, label: 'cutoff 190', cut: '12 cut' },
        }),
        column('fusion', many),
        column('decay', many, { limit: { rank: 40, label: 'window 40' } }),
        column('rerank', many.slice(0, 40)),
        column('final', many.slice(0, 10), { limit: { rank: 10, label: 'top 10' } }),
      ],
      results: many.slice(0, 10),
      expected: { id: 'm300', beyond: { knn: 329, bm25: 144 }, exit: 'bm25: 144th, 40 are kept' },
      duplicates: new Set(['m20', 'm35', 'm36']),
      ...size,
    });

  it('are thirty lines, and a ribbon per fate with its count', () => {
    const chart = crowded({ width: 854, height: 470 });
    expect(chart.lines).toHaveLength(30);
    expect(chart.ribbons.reduce((sum, { count }) => sum + count, 0)).toBe(470);
    expect(chart.hidden).toBe(470);
    const fates = Object.fromEntries(chart.ribbons.map(({ fate, count }) => [fate, count]));
    expect(fates).toEqual({ window: 459, top: 9, duplicate: 2 });
    const window = chart.ribbons.find(({ fate }) => fate === 'window');
    expect(window?.points.map((point) => point.column)).toEqual([
      'knn',
      'bm25',
      'sparse',
      'fusion',
      'decay',
    ]);
    const thick = chart.ribbons.map(({ thickness }) => thickness);
    expect(Math.max(...thick)).toBe(window?.thickness);
  });

  it('need no window where there is no reranker', () => {
    const columns = input().columns.map((held) =>
      held.key === 'rerank' ? column('rerank', [], { ran: false }) : held,
    );
    expect(layout(input({ columns, most: 2 })).ribbons.map(({ fate }) => fate)).toEqual(['top']);
  });

  it.each([
    { width: 854, height: 470 },
    { width: 520, height: 300 },
    { width: 560, height: 210 },
    { width: 1100, height: 700 },
  ])('no word lies over another at $width × $height', (size) => {
    const { texts } = crowded(size);
    expect(texts.length).toBeGreaterThan(4);
    expect(texts[0]).toMatchObject({ kind: 'exit', text: 'bm25: 144th, 40 are kept' });
    for (const [at, one] of texts.entries()) {
      const box = boxOf(one);
      expect(box.left).toBeGreaterThanOrEqual(0);
      expect(box.right).toBeLessThanOrEqual(size.width);
      for (const other of texts.slice(at + 1)) {
        expect(overlap(box, boxOf(other)), `${one.text} over ${other.text}`).toBe(false);
      }
    }
  });
});
