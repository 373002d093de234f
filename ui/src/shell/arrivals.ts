/** Counts what came in since the person last looked at Memories. */
import { useSyncExternalStore } from 'react';

interface Arrivals {
  count: number;
  /** When counting began, milliseconds. */
  since: number;
}

let held: Arrivals = { count: 0, since: Date.now() };
const watchers = new Set<() => void>();

function change(next: Arrivals) {
  held = next;
  for (const watcher of watchers) watcher();
}

/** Adds what a notice told. */
export function noteArrivals(added: number): void {
  if (added > 0) change({ ...held, count: held.count + added });
}

/** Starts counting anew. */
export function resetArrivals(now = Date.now()): void {
  change({ count: 0, since: now });
}

export function useArrivals(): Arrivals {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => held,
  );
}
