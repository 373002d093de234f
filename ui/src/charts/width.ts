/** The room that a chart has. */
import { type RefObject, useLayoutEffect, useState } from 'react';

/** The width of a box as it changes, within bounds. */
export function useWidth(box: RefObject<HTMLElement | null>, least: number, most: number): number {
  const [width, setWidth] = useState(Math.min(most, Math.max(least, 560)));
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () =>
      setWidth(Math.max(least, Math.min(most, element.clientWidth || Math.max(least, 560))));
    measure();
    const watching = new ResizeObserver(measure);
    watching.observe(element);
    return () => watching.disconnect();
  }, [box, least, most]);
  return width;
}
