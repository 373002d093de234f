import { renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { useGently } from './gently';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('works at once, then once per pause, and once after the last call', () => {
  const work = vi.fn();
  const { result } = renderHook(() => useGently(work, 100));
  for (let n = 0; n < 10; n += 1) result.current();
  expect(work).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(100);
  expect(work).toHaveBeenCalledTimes(2);
  vi.advanceTimersByTime(1000);
  expect(work).toHaveBeenCalledTimes(2);
  result.current();
  expect(work).toHaveBeenCalledTimes(3);
});

it('does nothing more once unmounted', () => {
  const work = vi.fn();
  const { result, unmount } = renderHook(() => useGently(work, 100));
  result.current();
  result.current();
  unmount();
  vi.advanceTimersByTime(1000);
  expect(work).toHaveBeenCalledTimes(1);
});
