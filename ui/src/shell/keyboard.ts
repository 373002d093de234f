/**
 * Every key of the window, once: what handlers ask for is what Settings lists.
 *
 * Keys that a control has by itself (Tab, arrows inside a slider) belong to the control.
 */

/** Where a key works; also the order of the list in Settings. */
export const PLACES = ['everywhere', 'xray', 'lists'] as const;
export type Place = (typeof PLACES)[number];

interface Chord {
  place: Place;
  /** How it is written; `Mod` is ⌘ on a Mac and Ctrl elsewhere. */
  keys: string;
  /** Ctrl or ⌘ is held; otherwise neither may be. */
  mod?: true;
  /** Alt is held; otherwise it may not be. */
  alt?: true;
  /** The character, in lower case. */
  key?: RegExp;
  /** The key itself, where Alt makes another character of it on some keyboards. */
  code?: RegExp;
}

const TABLE = {
  palette: { place: 'everywhere', keys: 'Mod K', mod: true, key: /^(k)$/ },
  section: { place: 'everywhere', keys: 'Mod 1 – Mod 6', mod: true, key: /^([1-6])$/ },
  undo: { place: 'everywhere', keys: 'Mod Z', mod: true, key: /^z$/ },
  map: { place: 'everywhere', keys: '?', key: /^\?$/ },
  help: { place: 'everywhere', keys: 'F1', key: /^f1$/ },
  close: { place: 'everywhere', keys: 'Esc', key: /^escape$/ },
  query: { place: 'xray', keys: '/', key: /^\/$/ },
  why: { place: 'xray', keys: 'W', key: /^w$/ },
  facets: { place: 'xray', keys: 'F', key: /^f$/ },
  history: { place: 'xray', keys: 'Alt H', alt: true, code: /^KeyH$/ },
  constants: { place: 'xray', keys: 'Alt C', alt: true, code: /^KeyC$/ },
  stage: { place: 'xray', keys: 'Alt 1 – Alt 8', alt: true, code: /^(?:Digit|Numpad)([1-8])$/ },
  expect: { place: 'xray', keys: 'X', key: /^x$/ },
  editor: { place: 'xray', keys: 'O', key: /^o$/ },
  nextResult: { place: 'xray', keys: 'N', key: /^n$/ },
  previousResult: { place: 'xray', keys: 'P', key: /^p$/ },
  judge: { place: 'xray', keys: '0 – 3', key: /^([0-3])$/ },
  move: { place: 'lists', keys: '↑ ↓', key: /^arrow(up|down)$/ },
  open: { place: 'lists', keys: 'Enter', key: /^enter$/ },
  select: { place: 'lists', keys: 'Space', key: /^ $/ },
  selectAll: { place: 'lists', keys: 'Mod A', mod: true, key: /^a$/ },
  add: { place: 'lists', keys: 'N', key: /^n$/ },
  edit: { place: 'lists', keys: 'E', key: /^e$/ },
  remove: { place: 'lists', keys: 'Delete', key: /^delete$/ },
} as const satisfies Record<string, Chord>;

export type KeyName = keyof typeof TABLE;

/** The keys of a place, in the order in which they are listed. */
export function keysOf(place: Place): ReadonlyArray<readonly [KeyName, string]> {
  return (Object.keys(TABLE) as KeyName[])
    .filter((name) => TABLE[name].place === place)
    .map((name) => [name, TABLE[name].keys]);
}

/** How a key is written. */
export const written = (name: KeyName): string => TABLE[name].keys;

/** What of a keyboard event is looked at. */
type Pressed = Pick<KeyboardEvent, 'key' | 'code' | 'altKey' | 'ctrlKey' | 'metaKey'>;

/** Whether the event is that key; for a range of keys, which one of it ("3" of `Mod 1 – Mod 6`). */
export function isKey(event: Pressed, name: KeyName): string | null {
  const chord: Chord = TABLE[name];
  if ((event.ctrlKey || event.metaKey) !== (chord.mod ?? false)) return null;
  if (event.altKey !== (chord.alt ?? false)) return null;
  const found = chord.code?.exec(event.code) ?? chord.key?.exec(event.key.toLowerCase());
  return found ? (found[1] ?? found[0]) : null;
}

/** Whether somebody writes text there, which no key may disturb. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest('input:not([type="range"]), textarea, select, [contenteditable]') !== null
  );
}
