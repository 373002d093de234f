import '@testing-library/jest-dom/vitest';
import { cleanup, configure } from '@testing-library/react';
import { afterEach } from 'vitest';

// A machine that builds something else meanwhile takes more than the usual second to draw.
configure({ asyncUtilTimeout: 5000 });

afterEach(() => {
  cleanup();
  if (typeof window !== 'undefined') window.location.hash = '';
});

function furnishDom() {
  // jsdom has no layout. Lists that measure themselves see a window of 900 × 700.
  for (const [name, value] of [
    ['offsetHeight', 700],
    ['clientHeight', 700],
    ['offsetWidth', 900],
    ['clientWidth', 900],
  ] as const) {
    Object.defineProperty(HTMLElement.prototype, name, { configurable: true, get: () => value });
  }

  class StillObserver {
    observe() {}
    unobserve() {}
    disconnect() {}
    takeRecords() {
      return [];
    }
  }
  globalThis.ResizeObserver ??= StillObserver as unknown as typeof ResizeObserver;
  globalThis.IntersectionObserver ??= StillObserver as unknown as typeof IntersectionObserver;
  Element.prototype.scrollIntoView ??= () => {};
  Element.prototype.scrollTo ??= (() => {}) as typeof Element.prototype.scrollTo;
  // As CSS.escape, for the names that React Aria gives to its rows.
  globalThis.CSS ??= {} as typeof CSS;
  CSS.escape ??= (name: string) => name.replace(/[^\w-]/g, (sign) => `\\${sign}`);
  // Only asked for measuring text; nothing here depends on it.
  HTMLCanvasElement.prototype.getContext = (() =>
    null) as typeof HTMLCanvasElement.prototype.getContext;
  window.matchMedia ??= ((query: string) => ({
    matches: false,
    media: query,
    onchange: null,
    addEventListener: () => {},
    removeEventListener: () => {},
    addListener: () => {},
    removeListener: () => {},
    dispatchEvent: () => false,
  })) as typeof window.matchMedia;
}

// Some tests run without a page.
if (typeof HTMLElement !== 'undefined') furnishDom();
