/** A group that Tab reaches once; arrows walk inside it, and Tab comes back to where one was. */
import { type KeyboardEvent, useState } from 'react';

/**
 * Arrows, Home and End move the focus among the elements of a group. `across` lets ← → walk as well,
 * where what stands beside each other is one row.
 */
export function walkAmong(
  event: KeyboardEvent<HTMLElement>,
  selector: string,
  across: boolean,
): void {
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>(selector)];
  if (all.length === 0 || event.altKey || event.ctrlKey || event.metaKey) return;
  const at = all.indexOf(document.activeElement as HTMLElement);
  const next = Math.min(at + 1, all.length - 1);
  const previous = Math.max(at - 1, 0);
  const to: Record<string, number> = {
    ArrowDown: next,
    ArrowUp: previous,
    Home: 0,
    End: all.length - 1,
    ...(across ? { ArrowRight: next, ArrowLeft: previous } : {}),
  };
  const place = to[event.key];
  if (place === undefined) return;
  event.preventDefault();
  all[place]?.focus();
}

/** Which of a group Tab reaches: the one that had the focus last, the first one before. */
export function useOneStop(ids: readonly string[]) {
  const [held, setHeld] = useState<string | null>(null);
  const stop = held !== null && ids.includes(held) ? held : ids[0];
  return {
    of: (id: string) => ({
      'data-stop': '',
      tabIndex: id === stop ? 0 : -1,
      onFocus: () => setHeld(id),
    }),
    onKeyDown: (event: KeyboardEvent<HTMLElement>) => walkAmong(event, '[data-stop]', true),
  };
}
