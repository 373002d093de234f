import type { ExpandedWord } from '../../ipc/bindings';
import { xray } from '../../locales/en/xray';
import { gateOf, type StageContext } from '../context';

const t = xray.sparse;
const SHOWN = 4;

/** What a word of the query counts in this vault: the model's weight, times how rare the word is. */
export const counts = ({ weight, rarity }: ExpandedWord): number => weight * rarity;

/** The words of the query, what counts most first. */
export function heaviest(words: readonly ExpandedWord[]): ExpandedWord[] {
  return words.toSorted((a, b) => counts(b) - counts(a));
}

/** Which words the model adds to those that were typed, and where the expected memory stands. */
export function sparseSentence({ trace, verdict }: StageContext): string {
  const words = heaviest(trace.expansion ?? []);
  if (words.length === 0) return t.noWords;
  // The model also adds signs, such as a full stop: they count, and say nothing to a reader.
  const added = words
    .filter(({ word, typed }) => !typed && /[\p{L}\p{N}]/u.test(word))
    .map(({ word }) => word);
  const parts = [added.length > 0 ? t.added(added.slice(0, SHOWN), added.length) : t.nothingAdded];
  const gate = gateOf(verdict, 'sparse');
  if (gate && gate.value !== null && gate.verdict !== 'not_reached') {
    parts.push(t.expected(gate.value));
  }
  return parts.join('; ');
}
