/** Where the window is: a section and what it should show, kept in the address after the #. */
import { useSyncExternalStore } from 'react';

export const SECTIONS = ['xray', 'memories', 'tuning', 'sources', 'vault', 'settings'] as const;
export type Section = (typeof SECTIONS)[number];

/**
 * What a section is asked to show: `id` opens a memory, `contains` filters Memories, `q` asks the
 * X-ray, `expect` names the memory that should have come up, `show` opens a part of the X-ray, `add`
 * opens the form of Sources, `tab` one of a section's parts.
 */
export type RouteParams = Partial<
  Record<'id' | 'contains' | 'q' | 'expect' | 'show' | 'add' | 'tab', string>
>;

export interface Route {
  section: Section;
  params: RouteParams;
}

function read(hash: string): Route {
  const [name = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const section = SECTIONS.find((one) => one === name) ?? 'xray';
  return { section, params: Object.fromEntries(new URLSearchParams(query)) };
}

let lastHash: string | null = null;
let lastRoute: Route = read('');

function snapshot(): Route {
  const { hash } = window.location;
  if (hash !== lastHash) {
    lastHash = hash;
    lastRoute = read(hash);
  }
  return lastRoute;
}

function subscribe(watcher: () => void): () => void {
  window.addEventListener('hashchange', watcher);
  return () => window.removeEventListener('hashchange', watcher);
}

/** The present route, for handlers. */
export const currentRoute = snapshot;

/** The present route; a new object only when it changes. */
export function useRoute(): Route {
  return useSyncExternalStore(subscribe, snapshot);
}

/** Takes a request that was fulfilled out of the address, which should not quote memories. */
export function settleRoute(): void {
  const { section } = snapshot();
  window.history.replaceState(null, '', `#/${section}`);
}

/** Goes to a section. */
export function navigate(section: Section, params: RouteParams = {}): void {
  const query = new URLSearchParams(params).toString();
  window.location.hash = `/${section}${query ? `?${query}` : ''}`;
}
