import { useCallback, useEffect, useRef } from 'react';

/**
 * Does `work` at once, then at most once per `pause` milliseconds, and once more after the last
 * call. A backfill sends twenty notices a second; asking the core again for each would cancel
 * every answer before it came.
 */
export function useGently(work: () => void, pause: number): () => void {
  const held = useRef(work);
  held.current = work;
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const again = useRef(false);

  useEffect(
    () => () => {
      if (timer.current !== null) clearTimeout(timer.current);
      timer.current = null;
    },
    [],
  );

  return useCallback(() => {
    const run = () => {
      held.current();
      timer.current = setTimeout(() => {
        timer.current = null;
        if (!again.current) return;
        again.current = false;
        run();
      }, pause);
    };
    if (timer.current === null) run();
    else again.current = true;
  }, [pause]);
}
