import { act, renderHook } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { frames } from '../../testing/frames';
import { COLUMNS, type FlowLayout, layout } from './layout';
import { MOTION_MS, useMoving } from './motion';

/** A chart with these results, best first. */
const chart = (...ids: string[]): FlowLayout =>
  layout({
    columns: COLUMNS.map((key) => ({
      key,
      ranks: new Map(ids.map((id, index) => [id, index + 1])),
      leaving: new Set<string>(),
      ran: true,
    })),
    results: ids,
    width: 854,
    height: 470,
  });

const place = (drawn: FlowLayout, id: string) =>
  drawn.lines.find((line) => line.id === id)?.points[0]?.y ?? Number.NaN;

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** A hook over a clock and frames that a test turns. */
function moving(first: FlowLayout) {
  vi.useFakeTimers({ toFake: ['performance'] });
  const frame = frames();
  const hook = renderHook(({ target }) => useMoving(target), { initialProps: { target: first } });
  return {
    drawn: () => hook.result.current,
    aim: (target: FlowLayout) => hook.rerender({ target }),
    pass(ms: number) {
      vi.advanceTimersByTime(ms);
      act(() => frame(performance.now()));
    },
  };
}

describe('the rank flow on its way', () => {
  const [before, after, later] = [chart('m1', 'm2'), chart('m2', 'm1'), chart('m2', 'm3', 'm1')];

  it('begins where the lines are and arrives where they belong', () => {
    const flow = moving(before);
    flow.aim(after);
    expect(place(flow.drawn(), 'm1')).toBe(place(before, 'm1'));
    flow.pass(MOTION_MS / 2);
    expect(place(flow.drawn(), 'm1')).toBeGreaterThan(place(before, 'm1'));
    expect(place(flow.drawn(), 'm1')).toBeLessThan(place(after, 'm1'));
    flow.pass(MOTION_MS);
    expect(place(flow.drawn(), 'm1')).toBe(place(after, 'm1'));
  });

  it('is there at once while answers follow each other', () => {
    const flow = moving(before);
    flow.aim(after);
    flow.pass(MOTION_MS / 4);
    flow.aim(later);
    expect(place(flow.drawn(), 'm1')).toBe(place(later, 'm1'));
    flow.pass(MOTION_MS / 4);
    flow.aim(before);
    expect(place(flow.drawn(), 'm1')).toBe(place(before, 'm1'));
  });

  it('moves again after a rest', () => {
    const flow = moving(before);
    flow.aim(after);
    flow.pass(2 * MOTION_MS);
    flow.aim(before);
    expect(place(flow.drawn(), 'm1')).toBe(place(after, 'm1'));
  });
});
