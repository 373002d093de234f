/** The latest answer wins: a stale one never overwrites a newer one. */
import { useCallback, useEffect, useRef, useState } from 'react';

/** What a {@link useLatest} call knows at the moment. */
export interface Latest<T> {
  /** The newest answer so far; kept while a newer question is on its way. */
  data: T | null;
  /** Why the newest question failed; cleared by the next answer. */
  error: unknown;
  /** Whether an answer is awaited. */
  pending: boolean;
}

/**
 * Asks questions and keeps only the answer to the newest.
 *
 * `queue` runs one at a time with a waiting place of one: a slider that moves faster than the core
 * answers never builds a queue, and every answer that arrives is newer than the one before.
 * `race` asks at once, so that the core can cancel the older search, and drops late answers.
 */
export function useLatest<Args extends unknown[], T>(
  ask: (...args: Args) => Promise<T>,
  how: 'queue' | 'race' = 'queue',
): Latest<T> & { run: (...args: Args) => void; set: (data: T | null) => void } {
  const [state, setState] = useState<Latest<T>>({ data: null, error: null, pending: false });
  const askRef = useRef(ask);
  askRef.current = ask;
  const running = useRef(false);
  const waiting = useRef<Args | null>(null);
  const generation = useRef(0);
  const alive = useRef(true);

  useEffect(() => {
    alive.current = true;
    return () => {
      alive.current = false;
    };
  }, []);

  const start = useCallback(
    async (args: Args) => {
      running.current = true;
      if (how === 'race') generation.current += 1;
      const mine = generation.current;
      let outcome: { data: T } | { error: unknown };
      try {
        outcome = { data: await askRef.current(...args) };
      } catch (error) {
        outcome = { error };
      }
      const next = waiting.current;
      waiting.current = null;
      running.current = false;
      if (!alive.current) return;
      if (mine === generation.current) {
        const pending = next !== null;
        setState((held) =>
          'data' in outcome
            ? { data: outcome.data, error: null, pending }
            : { data: held.data, error: outcome.error, pending },
        );
      }
      if (next !== null) void start(next);
    },
    [how],
  );

  const run = useCallback(
    (...args: Args) => {
      setState((held) => (held.pending ? held : { ...held, pending: true }));
      if (running.current && how === 'queue') waiting.current = args;
      else void start(args);
    },
    [start, how],
  );

  const set = useCallback((data: T | null) => {
    // Answers to questions asked before this moment are stale.
    generation.current += 1;
    waiting.current = null;
    setState({ data, error: null, pending: false });
  }, []);

  return { ...state, run, set };
}
