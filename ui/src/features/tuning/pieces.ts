/** Long measurements in pieces, so that they can be stopped and gone on with. */
import { useEffect, useRef, useState } from 'react';

/** Measures piece by piece until it is through, the person stops it, or the page goes. `more` gives
 * what is held with its next piece, or null when nothing is left. */
export function usePieces<T>(more: (held: T) => Promise<T | null>) {
  const [held, setHeld] = useState<T | null>(null);
  const [running, setRunning] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const turn = useRef(0);
  useEffect(
    () => () => {
      turn.current += 1;
    },
    [],
  );
  const go = async (first: () => Promise<T | null>) => {
    turn.current += 1;
    const mine = turn.current;
    setRunning(true);
    setError(null);
    try {
      let next = await first();
      while (next && mine === turn.current) {
        setHeld(next);
        next = await more(next);
      }
    } catch (broken) {
      if (mine === turn.current) setError(broken);
    }
    if (mine === turn.current) setRunning(false);
  };
  return {
    held,
    running,
    error,
    start: (first: () => Promise<T | null>) => {
      setHeld(null);
      void go(first);
    },
    resume: () => {
      if (held) void go(() => more(held));
    },
    stop: () => {
      turn.current += 1;
      setRunning(false);
    },
  };
}
