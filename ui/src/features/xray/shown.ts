/**
 * Which of the results the list shows, and in which order. Display only: places and scores are the
 * pipeline's, nothing is asked again, and what is not shown is counted.
 */
import type { MemoryCard } from '../../ipc/bindings';
import { isProgram } from '../../words/passage';
import { conversationOf, projectOf } from '../../words/where';

/** What a result is, for whoever looks for an answer among the noise of tools. */
export const PARTS = [
  'user',
  'answers',
  'thinking',
  'calls',
  'results',
  'errors',
  'other',
] as const;
export type Part = (typeof PARTS)[number];

/** What the list is narrowed to; an empty one narrows nothing. */
export interface Narrowed {
  parts: readonly Part[];
  projects: readonly string[];
  conversations: readonly string[];
}

export const EVERYTHING: Narrowed = { parts: [], projects: [], conversations: [] };

type Cards = Readonly<Record<string, MemoryCard | undefined>>;

export function partOf(card: MemoryCard | undefined): Part {
  if (card === undefined) return 'other';
  if (card.tags.includes('error')) return 'errors';
  if (card.kind === 'tool_call') return 'calls';
  if (card.kind === 'tool_result') return 'results';
  if (card.kind === 'thinking') return 'thinking';
  if (card.kind !== 'text') return 'other';
  return card.role === 'user' ? 'user' : card.role === 'assistant' ? 'answers' : 'other';
}

/** One value with how many results have it. */
export interface Counted<T extends string = string> {
  value: T;
  count: number;
}

function counted<T extends string>(values: readonly (T | null)[]): Counted<T>[] {
  const counts = new Map<T, number>();
  for (const value of values) {
    if (value !== null && value !== '') counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count);
}

/** What the results can be narrowed by, with counts. */
export function facetsOf(results: readonly string[], cards: Cards) {
  const all = results.map((id) => cards[id]);
  const parts = counted(all.map(partOf));
  return {
    parts: parts.sort((a, b) => PARTS.indexOf(a.value) - PARTS.indexOf(b.value)),
    projects: counted(all.map((card) => (card ? projectOf(card.org) : null))),
    conversations: counted(all.map((card) => (card ? conversationOf(card) : null))),
  };
}

const has = <T>(wanted: readonly T[], value: T) => wanted.length === 0 || wanted.includes(value);

function passes(card: MemoryCard | undefined, to: Narrowed): boolean {
  return (
    has(to.parts, partOf(card)) &&
    has(to.projects, card ? projectOf(card.org) : '') &&
    has(to.conversations, (card && conversationOf(card)) ?? '')
  );
}

/** Words two outputs of programs must share to be alike, as a share of all their words. */
const ALIKE = 0.8;
/** Fewer words than this say nothing about likeness. */
const LEAST = 4;

/** The words of an output, with figures taken for equal: runs differ in seeds, times and counts. */
function wordsOf(card: MemoryCard): Set<string> {
  const words = card.snippet
    .toLowerCase()
    .replace(/\d+/g, '0')
    .match(/[\p{L}\p{N}]+/gu);
  return new Set(words ?? []);
}

function areAlike(a: Set<string>, b: Set<string>): boolean {
  if (a.size < LEAST || b.size < LEAST) return false;
  let shared = 0;
  for (const word of a) if (b.has(word)) shared += 1;
  return shared / (a.size + b.size - shared) >= ALIKE;
}

export interface ShownResult {
  id: string;
  /** Its place in the pipeline's list, from 1. */
  place: number;
  /** Results below it that say the same but for figures; they are folded under it. */
  alike: string[];
}

/**
 * The rows of the list. Only what programs wrote is folded: two sentences of a person that differ in
 * a figure are two statements. A result in `apart` always has a row of its own.
 */
export function shownResults(
  results: readonly string[],
  cards: Cards,
  how: { narrowed: Narrowed; conversationFirst: boolean; apart: readonly string[] },
): ShownResult[] {
  const heads: Array<ShownResult & { words: Set<string>; kind: string }> = [];
  const rows: ShownResult[] = [];
  results.forEach((id, index) => {
    const card = cards[id];
    if (!passes(card, how.narrowed)) return;
    const row: ShownResult = { id, place: index + 1, alike: [] };
    if (card && isProgram(card.kind)) {
      const words = wordsOf(card);
      const head = heads.find((one) => one.kind === card.kind && areAlike(one.words, words));
      if (head && !how.apart.includes(id)) {
        head.alike.push(id);
        return;
      }
      if (!head) heads.push({ ...row, alike: row.alike, words, kind: card.kind });
    }
    rows.push(row);
  });
  if (!how.conversationFirst) return rows;
  const isSaid = ({ id }: ShownResult) => ['user', 'answers'].includes(partOf(cards[id]));
  return [...rows.filter(isSaid), ...rows.filter((row) => !isSaid(row))];
}
