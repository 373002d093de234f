/** Moves a layout to the next one, so that the eye can follow a memory to its new rank. */
import { useEffect, useRef, useState } from 'react';
import { between, type FlowLayout, kept } from './layout';

export const MOTION_MS = 160;

/** Whether the person asked for less motion. */
export function reducedMotion(): boolean {
  return window.matchMedia('(prefers-reduced-motion: reduce)').matches;
}

const ease = (share: number) => 1 - (1 - share) ** 3;

/** The layout to draw now, on its way to `target`. A new target starts from where things are. */
export function useMoving(target: FlowLayout): FlowLayout {
  const [drawn, setDrawn] = useState(target);
  const shown = useRef(target);
  useEffect(() => {
    const from = shown.current;
    const show = (next: FlowLayout) => {
      shown.current = next;
      setDrawn(next);
    };
    if (from === target) return;
    if (from.width !== target.width || from.height !== target.height || reducedMotion()) {
      show(target);
      return;
    }
    const to = kept(from, target);
    let frame = 0;
    const start = performance.now();
    const step = (time: number) => {
      const share = Math.min(1, Math.max(0, time - start) / MOTION_MS);
      show(between(from, to, ease(share)));
      if (share < 1) frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
    return () => cancelAnimationFrame(frame);
  }, [target]);
  return drawn;
}
