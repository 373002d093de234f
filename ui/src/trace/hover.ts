/** Which memory the pointer or the keyboard is on, so that every list and line can show it. */
import { useSyncExternalStore } from 'react';

let hot: string | null = null;
const listeners = new Set<() => void>();

/** Marks a memory everywhere; null ends it. */
export function point(id: string | null): void {
  if (id === hot) return;
  hot = id;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** The memory that is marked. */
export function useHot(): string | null {
  return useSyncExternalStore(subscribe, () => hot);
}

/** Whether this memory is marked; only rows whose answer changes draw again. */
export function useIsHot(id: string): boolean {
  return useSyncExternalStore(subscribe, () => hot === id);
}

/** Handlers that mark a memory while it is under the pointer or focused. */
export function pointing(id: string) {
  return {
    onMouseEnter: () => point(id),
    onMouseLeave: () => point(null),
    onFocus: () => point(id),
    onBlur: () => point(null),
  };
}
