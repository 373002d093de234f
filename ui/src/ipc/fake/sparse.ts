/**
 * The invented core's sparse leg: a handful of words that mean the same, where the real one has a
 * model. Weights are made up; sums, ranks and the account of shared words are right.
 */
import type { ExpandedWord, SharedWord } from '../bindings';

const ALIKE = [
  ['fix', 'fixed', 'repair', 'mended', 'guard', 'guarded'],
  ['error', 'failure', 'bug', 'typeerror', 'refused'],
  ['unpack', 'unpacking', 'tuple', 'apart'],
  ['retry', 'retries', 'again'],
  ['payment', 'charges', 'refund', 'invoice'],
  ['meeting', 'review', 'standup', 'agenda'],
];

const TYPED = 1.4;
const ADDED = 0.8;

/** The words asked for and those that mean the same, heaviest first; `frequency` counts memories. */
export function expanded(
  asked: readonly string[],
  frequency: (word: string) => number,
  memories: number,
): ExpandedWord[] {
  const alike = ALIKE.filter((group) => group.some((word) => asked.includes(word))).flat();
  // What no memory says finds none.
  const added = alike.filter((word) => !asked.includes(word) && frequency(word) > 0);
  const entry = (word: string, weight: number, typed: boolean): ExpandedWord => {
    const rarity = Math.sqrt(Math.log(1 + memories / (frequency(word) + 0.5)));
    return { word, weight, rarity, typed };
  };
  return [
    ...asked.map((word) => entry(word, TYPED, true)),
    ...added.map((word) => entry(word, ADDED, false)),
  ].sort((a, b) => b.weight * b.rarity - a.weight * a.rarity);
}

/** What a text shares with the query, the largest product first. */
export function sharedWords(
  expansion: readonly ExpandedWord[],
  content: readonly string[],
): SharedWord[] {
  return expansion
    .flatMap(({ word, weight, rarity, typed }): SharedWord[] => {
      const times = content.filter((one) => one === word).length;
      if (times === 0) return [];
      const query_weight = weight * rarity;
      const memory_weight = (1 + Math.log(times)) / (1 + content.length / 60);
      return [{ word, typed, query_weight, memory_weight, product: query_weight * memory_weight }];
    })
    .sort((a, b) => b.product - a.product);
}

/** Why the leg found a memory or did not, as the verdict says it. */
export function sharedNote(shared: readonly SharedWord[]): string {
  if (shared.length === 0) return 'shares no word with the query, typed or added';
  const said = shared
    .slice(0, 3)
    .map(({ word, typed, product }) => `${word} ${product.toFixed(2)}${typed ? '' : ' (added)'}`);
  return `shares ${said.join(', ')}`;
}

export const sumOf = (shared: readonly SharedWord[]): number =>
  shared.reduce((sum, { product }) => sum + product, 0);
