/** Something that is done once at a press, and that may take a while or be refused. */
import { useCallback, useEffect, useRef, useState } from 'react';

/**
 * Runs one thing at a time. What it is done with (a passphrase) is held by nobody once it is over:
 * the cache of mutations would keep the last call for minutes.
 */
export function useAct() {
  const [state, setState] = useState<{ pending: boolean; error: unknown }>({
    pending: false,
    error: null,
  });
  const running = useRef(false);
  const alive = useRef(true);
  useEffect(() => {
    alive.current = true;
    return () => {
      alive.current = false;
    };
  }, []);
  const run = useCallback(async (work: () => Promise<void>) => {
    if (running.current) return;
    running.current = true;
    setState({ pending: true, error: null });
    let error: unknown = null;
    try {
      await work();
    } catch (thrown) {
      error = thrown;
    }
    running.current = false;
    if (alive.current) setState({ pending: false, error });
  }, []);
  const clear = useCallback(
    () => setState((held) => (held.error === null ? held : { ...held, error: null })),
    [],
  );
  return { ...state, run, clear };
}
