/** Moves a layout to the next one, so that the eye can follow a memory to its new rank. */
import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import { between, type FlowLayout, kept } from './layout';

export const MOTION_MS = 160;

/** Whether the person asked for less motion. */
export function reducedMotion(): boolean {
  return window.matchMedia('(prefers-reduced-motion: reduce)').matches;
}

const ease = (share: number) => 1 - (1 - share) ** 3;

/**
 * The layout to draw now, on its way to `target`. Targets that follow each other faster than that
 * are drawn at once: under a dragged slider the hand is the motion, and frames on the way would
 * only come later than the hand.
 */
export function useMoving(target: FlowLayout): FlowLayout {
  const [onTheWay, setOnTheWay] = useState<FlowLayout | null>(null);
  const shown = useRef(target);
  const came = useRef(Number.NEGATIVE_INFINITY);
  const to = useMemo(() => kept(shown.current, target), [target]);
  useLayoutEffect(() => {
    const from = shown.current;
    if (from === to || from === target) return;
    const start = performance.now();
    const follows = start - came.current < MOTION_MS;
    came.current = start;
    const resized = from.width !== to.width || from.height !== to.height;
    const show = (next: FlowLayout) => {
      shown.current = next;
      setOnTheWay(next === to ? null : next);
    };
    if (follows || resized || reducedMotion()) {
      show(to);
      return;
    }
    show(from);
    let frame = 0;
    const step = (time: number) => {
      const share = Math.min(1, Math.max(0, time - start) / MOTION_MS);
      show(share < 1 ? between(from, to, ease(share)) : to);
      if (share < 1) frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
    return () => cancelAnimationFrame(frame);
  }, [to, target]);
  return onTheWay ?? to;
}
