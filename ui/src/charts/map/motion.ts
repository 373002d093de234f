/** Moves points to their places in another picture, so that the eye can follow a group. */
import { useEffect, useRef, useState } from 'react';
import { reducedMotion } from '../rank-flow/motion';

/** A picture as columns, one place per point. */
export interface Picture {
  x: readonly number[];
  y: readonly number[];
}

export const MOTION_MS = 700;

/** Slow at both ends: points that cross the whole picture are hard to follow otherwise. */
const ease = (share: number) => share * share * (3 - 2 * share);

/** The picture at a share of the way. */
export function between(from: Picture, to: Picture, share: number): Picture {
  const way = (a: readonly number[], b: readonly number[]) =>
    b.map((end, at) => {
      const start = a[at] as number;
      return start + share * (end - start);
    });
  return { x: way(from.x, to.x), y: way(from.y, to.y) };
}

/**
 * The picture to draw now, on its way to `target`. Only the same points in another picture move;
 * other points, and whoever asked for less motion, get theirs at once.
 */
export function useMoving(target: Picture, points: unknown): Picture {
  const [drawn, setDrawn] = useState(target);
  const held = useRef({ picture: target, points });
  useEffect(() => {
    const { picture: from, points: before } = held.current;
    const show = (picture: Picture) => {
      held.current = { picture, points };
      setDrawn(picture);
    };
    if (from === target) return;
    if (before !== points || from.x.length !== target.x.length || reducedMotion()) {
      show(target);
      return;
    }
    let frame = 0;
    const start = performance.now();
    const step = (time: number) => {
      const share = Math.min(1, Math.max(0, time - start) / MOTION_MS);
      show(share < 1 ? between(from, target, ease(share)) : target);
      if (share < 1) frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
    return () => cancelAnimationFrame(frame);
  }, [target, points]);
  // Until the effect has run, other points must not be drawn in places that were not theirs.
  return held.current.points === points ? drawn : target;
}
