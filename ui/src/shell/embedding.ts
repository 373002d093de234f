/** How far the vectors are behind the memories, and about how long they still take. */
import { useRef } from 'react';
import type { StatusView } from '../ipc/bindings';

/** Fewer vectors or milliseconds than this tell no pace. */
const LEAST = { vectors: 20, ms: 1500 };

export interface Embedding {
  done: number;
  total: number;
  /** Seconds until all are done at the pace so far; null until there is one. */
  left: number | null;
}

/** What was seen when, milliseconds. */
interface Seen {
  at: number;
  done: number;
}

/** Seconds that `total - now.done` vectors take at the pace since `first`. */
export function secondsLeft(first: Seen, now: Seen, total: number): number | null {
  const [vectors, ms] = [now.done - first.done, now.at - first.at];
  if (vectors < LEAST.vectors || ms < LEAST.ms) return null;
  return Math.ceil(((total - now.done) * ms) / vectors / 1000);
}

type Behind = Pick<StatusView, 'model' | 'embedded' | 'embeddable'>;

/** Null while nothing is behind, and while no model works on it. */
export function useEmbedding(status: Behind | undefined): Embedding | null {
  const first = useRef<Seen | null>(null);
  const behind = status?.model.state === 'ready' && status.embedded < status.embeddable;
  if (!status || !behind) {
    first.current = null;
    return null;
  }
  const now = { at: performance.now(), done: status.embedded };
  // Fewer than before: another build began anew.
  if (first.current === null || first.current.done > now.done) first.current = now;
  return {
    done: status.embedded,
    total: status.embeddable,
    left: secondsLeft(first.current, now, status.embeddable),
  };
}
