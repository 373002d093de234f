import { act, renderHook } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { useLatest } from './latest';

/** A question whose answers the test gives, in any order. */
function asked() {
  const open = new Map<number, { answer: (text: string) => void; fail: (why: Error) => void }>();
  const ask = vi.fn(
    (n: number) =>
      new Promise<string>((answer, fail) => {
        open.set(n, { answer, fail });
      }),
  );
  const settle = (work: () => void) =>
    act(async () => {
      work();
      await Promise.resolve();
    });
  return { ask, open, settle };
}

it('queues at most one question and skips those in between', async () => {
  const { ask, open, settle } = asked();
  const { result } = renderHook(() => useLatest(ask));
  act(() => {
    for (const n of [1, 2, 3, 4]) result.current.run(n);
  });
  expect(ask.mock.calls).toEqual([[1]]);
  await settle(() => open.get(1)?.answer('one'));
  expect(result.current).toMatchObject({ data: 'one', pending: true });
  expect(ask.mock.calls).toEqual([[1], [4]]);
  await settle(() => open.get(4)?.answer('four'));
  expect(result.current).toMatchObject({ data: 'four', pending: false });
});

it('never lets a stale answer of a race overwrite a newer one', async () => {
  const { ask, open, settle } = asked();
  const { result } = renderHook(() => useLatest(ask, 'race'));
  act(() => {
    result.current.run(1);
    result.current.run(2);
  });
  expect(ask.mock.calls).toEqual([[1], [2]]);
  await settle(() => open.get(2)?.answer('two'));
  await settle(() => open.get(1)?.answer('one'));
  expect(result.current).toMatchObject({ data: 'two', pending: false });
});

it('keeps the last answer while a newer question fails', async () => {
  const { ask, open, settle } = asked();
  const { result } = renderHook(() => useLatest(ask));
  act(() => result.current.run(1));
  await settle(() => open.get(1)?.answer('one'));
  act(() => result.current.run(2));
  await settle(() => open.get(2)?.fail(new Error('locked')));
  expect(result.current.data).toBe('one');
  expect(result.current.error).toMatchObject({ message: 'locked' });
});

it('ignores answers to questions asked before the data was set', async () => {
  const { ask, open, settle } = asked();
  const { result } = renderHook(() => useLatest(ask));
  act(() => result.current.run(1));
  act(() => result.current.set(null));
  await settle(() => open.get(1)?.answer('one'));
  expect(result.current).toMatchObject({ data: null, pending: false });
});
