/**
 * Which element draws which item of a list whose items come and go.
 *
 * An item that stays keeps its element, and with it focus and hover. One that comes takes over the
 * element of one that went: changing an element costs a fraction of building one, and a slider
 * that moves far replaces whole lists, many times a second.
 */
import { useRef } from 'react';

export type Slots = ReadonlyMap<string, number>;

/** The slots of these items, given those of the items before. */
export function slotsOf(before: Slots, ids: readonly string[]): Slots {
  const stays = new Set(ids);
  const free = [...before].filter(([id]) => !stays.has(id)).map(([, slot]) => slot);
  let next = Math.max(-1, ...before.values()) + 1;
  return new Map(ids.map((id) => [id, before.get(id) ?? free.shift() ?? next++]));
}

/** A key for every item. The same items in any order keep their keys. */
export function useSlots(ids: readonly string[]): Slots {
  const held = useRef<Slots>(new Map());
  // Idempotent: a second drawing with the same items finds all of them placed.
  held.current = slotsOf(held.current, ids);
  return held.current;
}
