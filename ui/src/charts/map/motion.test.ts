import { act, renderHook } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { frames } from '../../testing/frames';
import { between, MOTION_MS, useMoving } from './motion';

const flat = { x: [0, 10], y: [0, 0] };
const laid = { x: [4, 0], y: [8, 2] };

afterEach(() => vi.unstubAllGlobals());

describe('points between two pictures', () => {
  it('lie on the straight way', () => {
    expect(between(flat, laid, 0.5)).toEqual({ x: [2, 5], y: [4, 1] });
  });

  it('move to the other picture and arrive', () => {
    const frame = frames();
    const start = performance.now();
    const points = ['m1', 'm2'];
    const { result, rerender } = renderHook(({ target }) => useMoving(target, points), {
      initialProps: { target: flat },
    });
    expect(result.current).toBe(flat);
    rerender({ target: laid });
    act(() => frame(start + MOTION_MS / 2));
    expect(result.current.x[0]).toBeGreaterThan(0);
    expect(result.current.x[0]).toBeLessThan(4);
    act(() => frame(start + MOTION_MS + 500));
    expect(result.current).toBe(laid);
  });

  it('do not move for whoever asked for less motion, nor become other points on the way', () => {
    frames();
    vi.stubGlobal('matchMedia', () => ({ matches: true }));
    const { result, rerender } = renderHook(({ target, points }) => useMoving(target, points), {
      initialProps: { target: flat, points: ['m1'] },
    });
    rerender({ target: laid, points: ['m1'] });
    expect(result.current).toBe(laid);
    vi.stubGlobal('matchMedia', () => ({ matches: false }));
    rerender({ target: flat, points: ['m7'] });
    expect(result.current).toBe(flat);
  });
});
