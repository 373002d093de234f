/** Which place of the book is open over the window: a page, and something on it. */
import { useSyncExternalStore } from 'react';
import type { Section } from './route';

/**
 * A page of `docs/` by its file's name, in lower case and without ending, and after `#` a heading as
 * it stands in addresses, a term that begins a paragraph, or the first cell of a table's row.
 */
export type Place = string;

/** What F1 opens in a section, unless something nearer to the focus names its own place. */
export const PLACE_OF: Record<Section, Place> = {
  xray: 'why-did-it-miss',
  memories: 'clean-a-memory',
  tuning: 'tune-for-my-agent',
  sources: 'formats',
  vault: 'move-a-vault',
  settings: 'installing#in-the-window',
};

/** What F1 opens before a vault is open. */
export const PLACE_OF_WELCOME: Record<'none' | 'locked', Place> = {
  none: 'installing#in-the-window',
  locked: 'troubleshooting#opening-a-vault',
};

/** What the question marks of the window lead to; constants are `constants#` and their name. */
export const PLACES = {
  contents: 'readme',
  complaints: 'tune-for-my-agent#which-constant-for-which-complaint',
  presets: 'tune-for-my-agent#1-a-preset-to-start-from',
  compare: 'tune-for-my-agent#2-one-query-at-a-time',
  golden: 'measure#judgements-in-the-window',
  numbers: 'measure#the-numbers',
  success_5: 'measure#success5',
  mrr_10: 'measure#mrr10',
  ndcg_10: 'measure#ndcg10',
  sweeps: 'tune-for-my-agent#3-over-many-queries',
  suite: 'measure#a-regression-suite',
  reranker: 'tune-for-my-agent#the-reranker',
  gates: 'why-did-it-miss#what-the-gates-mean',
  block: 'give-my-agent-this-memory#the-block',
  dryRun: 'formats#before-a-byte-is-stored',
  leftOut: 'formats#what-is-not-read',
  folders: 'privacy#what-is-stored-where',
  opens: 'move-a-vault#what-opens-it',
  copies: 'move-a-vault#back-up-and-restore',
  exchange: 'move-a-vault#export-and-import',
  health: 'move-a-vault#check-and-repair',
  proof: 'move-a-vault#see-that-nothing-can-be-read-on-the-disk',
  speed: 'figures#how-fast-it-is',
  model: 'installing#the-model',
} as const satisfies Record<string, Place>;

/** The place of the book about a constant. */
export const placeOfConstant = (name: string): Place => `constants#${name}`;

let held: Place | null = null;
const watchers = new Set<() => void>();

function hold(place: Place | null): void {
  held = place;
  for (const watcher of watchers) watcher();
}

/** Opens the book there, over whatever is open. */
export const openBook = (place: Place): void => hold(place);

export const closeBook = (): void => hold(null);

/** Where the book is open; null while it is closed. */
export function useBook(): Place | null {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => held,
  );
}

/** The place that the thing in focus, or something around it, names for itself. */
export function placeInFocus(): Place | null {
  const named = document.activeElement?.closest<HTMLElement>('[data-help]');
  return named?.dataset.help ?? null;
}
