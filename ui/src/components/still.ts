/**
 * What lies below a dialog does not scroll, and shows no scrollbar: the overlay bars of WebKitGTK are
 * painted above everything while they fade.
 */
import { type RefObject, useLayoutEffect } from 'react';

const SCROLLS = /auto|scroll/;

/** Whether an element has something to scroll, and lets it. */
function canScroll(element: HTMLElement): boolean {
  const { overflowX, overflowY } = getComputedStyle(element);
  return (
    (SCROLLS.test(overflowY) && element.scrollHeight > element.clientHeight) ||
    (SCROLLS.test(overflowX) && element.scrollWidth > element.clientWidth)
  );
}

/** Holds still whatever scrolls outside of the overlay that `mark` is in, as long as that is there. */
export function useStillBelow(mark: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const here = mark.current;
    if (here === null) return;
    // Overlays are children of the body, side by side with the page.
    let own: Element = here;
    while (own.parentElement && own.parentElement !== document.body) own = own.parentElement;
    const below = [...document.body.querySelectorAll<HTMLElement>('*')].filter(
      (element) => !own.contains(element) && canScroll(element),
    );
    const before = below.map(({ style }) => [style.overflowX, style.overflowY] as const);
    for (const element of below) element.style.overflow = 'hidden';
    return () => {
      below.forEach((element, at) => {
        element.style.overflow = '';
        [element.style.overflowX = '', element.style.overflowY = ''] = before[at] ?? [];
      });
    };
  }, [mark]);
}
