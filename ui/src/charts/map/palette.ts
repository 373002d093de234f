/**
 * Colours of groups that stay apart for colour-blind eyes: Okabe and Ito's set, lightness adapted
 * to both grounds. Every group is also told by its name in the legend, which can single it out.
 */
const LIGHT = [
  '#0072b2',
  '#d55e00',
  '#007a5a',
  '#a8457f',
  '#8a6d00',
  '#3f9bd0',
  '#5b4fc4',
  '#6b7280',
];
const DARK = [
  '#56b4e9',
  '#ff8a3d',
  '#33c79a',
  '#e58bbd',
  '#f0e442',
  '#9ad1f5',
  '#a59bff',
  '#9aa3b2',
];

/** How many groups have a colour of their own; the rest share the last one. */
export const GROUPS = LIGHT.length;

export function groupColours(isDark: boolean): readonly string[] {
  return isDark ? DARK : LIGHT;
}

/** From new to old, one hue that loses light: it reads in grey as well (after Viridis). */
const AGES_LIGHT = ['#d6a400', '#6fae3f', '#1f9a8a', '#31688e', '#443a83'];
const AGES_DARK = ['#fde725', '#8fd744', '#35b779', '#5ea3c9', '#9a8fe0'];

export function ageColours(isDark: boolean): readonly string[] {
  return isDark ? AGES_DARK : AGES_LIGHT;
}
