/** How much of the bar above the results stands as chips; what has no room goes into a menu. */

/** Small type of the window, pixels: the mean advance of a semibold letter, and of a figure. */
const LETTER = 5.7;
const FIGURE = 6.5;
/** What a chip has around its words, and the distance to the next one. */
const AROUND = 24;

/** About how wide a chip of the bar is; the type ships with the window, so it is the same everywhere. */
export function chipWidth(label: string, count?: number): number {
  const figures = count === undefined ? 0 : 4 + String(count).length * FIGURE;
  return AROUND + label.length * LETTER + figures;
}

/**
 * How many of the chips stand in `room` pixels, from the first. A menu for the rest takes `menu`
 * pixels itself; one chip alone never goes into a menu that is as wide as it.
 */
export function fitting(widths: readonly number[], room: number, menu: number): number {
  const all = widths.reduce((sum, width) => sum + width, 0);
  if (all <= room) return widths.length;
  let used = menu;
  const stop = widths.findIndex((width) => {
    used += width;
    return used > room;
  });
  return stop === -1 ? widths.length : stop;
}
