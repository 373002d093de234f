/**
 * How the window looks before any vault is open. Nothing of a memory is ever kept here; theme and
 * density must be known at the first paint, before there is a key to read settings with.
 * What is folded away belongs here too: it says something of the window, not of the memory.
 */
import { useEffect, useSyncExternalStore } from 'react';

export type Theme = 'system' | 'light' | 'dark';
export type RowDensity = 'comfortable' | 'compact';

interface Preferences {
  theme: Theme;
  density: RowDensity;
  /** Whether all constants are shown under the X-ray, or the essential ones. */
  allConstants: boolean;
  /** Whether results list what was said before what tools wrote. */
  conversationFirst: boolean;
  /** Lines of a result's passage in the list, 1 to 6. */
  snippetLines: number;
  /** Whether long lines of code are broken at the edge, or scroll sideways. */
  wrapCode: boolean;
}

const KEY = 'lethescope.look';
const START: Preferences = {
  theme: 'system',
  density: 'comfortable',
  allConstants: false,
  conversationFirst: false,
  snippetLines: 3,
  wrapCode: true,
};

function load(): Preferences {
  try {
    return { ...START, ...JSON.parse(window.localStorage.getItem(KEY) ?? '{}') };
  } catch {
    return START;
  }
}

let held = load();
const watchers = new Set<() => void>();

/** Changes how the window looks, at once and for the next start. */
export function setPreferences(change: Partial<Preferences>): void {
  held = { ...held, ...change };
  try {
    window.localStorage.setItem(KEY, JSON.stringify(held));
  } catch {
    // Without storage the choice lasts until the window closes.
  }
  for (const watcher of watchers) watcher();
}

/** What holds now, for handlers. */
export const getPreferences = (): Preferences => held;

export function usePreferences(): Preferences {
  return useSyncExternalStore((watcher) => {
    watchers.add(watcher);
    return () => watchers.delete(watcher);
  }, getPreferences);
}

/** Puts how the window looks on the root element, where tokens.css looks for it. */
export function useLook(): void {
  const { theme, density, snippetLines, wrapCode } = usePreferences();
  useEffect(() => {
    const root = document.documentElement;
    if (theme === 'system') delete root.dataset.theme;
    else root.dataset.theme = theme;
    root.dataset.density = density;
    root.dataset.wrap = wrapCode ? 'on' : 'off';
    root.style.setProperty('--snippet-lines', String(snippetLines));
  }, [theme, density, snippetLines, wrapCode]);
}
