/**
 * The focus never falls through the page: where the element that had it goes, the nearest thing
 * around it that remains takes it over, so that Tab goes on from there and not from the top.
 */
import { type RefObject, useEffect, useRef } from 'react';

/** Nobody has the focus but whoever holds it for lack of a better place. */
export function isFocusLost(): boolean {
  const active = document.activeElement;
  if (active === null || active === document.body || !active.isConnected) return true;
  // A panel on its way out is inert before it goes.
  return active.hasAttribute('data-kept') || active.closest('[inert]') !== null;
}

/** Gives the focus to something that nobody reaches by Tab, until it moves on. */
export function holdFocus(element: HTMLElement): void {
  if (!element.hasAttribute('tabindex')) {
    element.tabIndex = -1;
    element.addEventListener('blur', () => element.removeAttribute('tabindex'), { once: true });
  }
  element.setAttribute('data-kept', '');
  element.addEventListener('blur', () => element.removeAttribute('data-kept'), { once: true });
  element.focus({ preventScroll: true });
}

/** What is put on a control to press next: it takes the focus when nobody else has it. */
export function useNextPress<T extends HTMLElement>(isNext = true): RefObject<T | null> {
  const control = useRef<T>(null);
  useEffect(() => {
    if (isNext && isFocusLost()) control.current?.focus({ preventScroll: true });
  }, [isNext]);
  return control;
}

/** Keeps the focus inside `box` while what had it is replaced. */
export function useFocusKept(box: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const frame = box.current;
    if (frame === null) return;
    /** What has the focus and everything around it, innermost first. */
    let path: HTMLElement[] = [];
    let waiting = 0;
    const came = ({ target }: FocusEvent) => {
      path = [];
      for (let at = target as HTMLElement | null; at !== null; at = at.parentElement) {
        path.push(at);
        if (at === frame) return;
      }
      path = [];
    };
    const look = () => {
      waiting = 0;
      const [had] = path;
      if (!had || had.isConnected || !isFocusLost()) return;
      // A panel of tabs takes its own place in the order of Tab away again once it has content.
      const remains = path.find(
        (one) => one.isConnected && one.getAttribute('role') !== 'tabpanel',
      );
      if (remains) holdFocus(remains);
    };
    const gone = () => {
      // What replaces it may want the focus for itself, and says so before the next frame.
      if (path[0]?.isConnected === false) waiting ||= requestAnimationFrame(look);
    };
    const watching = new MutationObserver(gone);
    frame.addEventListener('focusin', came);
    // An overlay that closes may have covered the change.
    document.addEventListener('focusout', gone);
    watching.observe(frame, { childList: true, subtree: true });
    return () => {
      cancelAnimationFrame(waiting);
      watching.disconnect();
      frame.removeEventListener('focusin', came);
      document.removeEventListener('focusout', gone);
    };
  }, [box]);
}
