/** Finding a constant by what it is called or by what it does. */
import { named, xray } from '../../../locales/en/xray';

const t = xray.sliders;

/** Whether every word of `find` stands in the constant's name, help or formula; nothing fits all. */
export function fits(constant: string, find: string): boolean {
  const about = [constant, named(t.names, constant), t.help[constant], t.formulas[constant]]
    .join(' ')
    .toLowerCase();
  return find
    .toLowerCase()
    .split(/\s+/)
    .every((word) => about.includes(word));
}
