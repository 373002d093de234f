import { expect, it } from 'vitest';
import { slotsOf } from './slots';

const entries = (slots: ReturnType<typeof slotsOf>) => Object.fromEntries(slots);

it('gives what comes the place of what went, and leaves the rest where it is', () => {
  const first = slotsOf(new Map(), ['a', 'b', 'c']);
  expect(entries(first)).toEqual({ a: 0, b: 1, c: 2 });
  const second = slotsOf(first, ['c', 'x', 'a', 'y']);
  expect(entries(second)).toEqual({ c: 2, x: 1, a: 0, y: 3 });
  expect(slotsOf(second, ['c', 'x', 'a', 'y'])).toEqual(second);
});

it('never puts two items into one place', () => {
  let slots = slotsOf(new Map(), []);
  for (let turn = 0; turn < 200; turn++) {
    const ids = Array.from({ length: turn % 9 }, (_, n) => `m${(turn * 7 + n * 3) % 23}`);
    slots = slotsOf(slots, ids);
    expect([...slots.keys()]).toEqual(ids);
    expect(new Set(slots.values()).size).toBe(ids.length);
  }
});
