/** Memories that mean nearly the same. */
import type { Apart } from '../../ipc/bindings';
import { counted } from './common';

const cosine = (value: number) => value.toFixed(3);
const pairs = (n: number) => counted(n, 'pair', 'pairs');

const APART: Record<Apart, string> = {
  number: 'their numbers differ',
  negation: 'one denies what the other says',
  opposite: 'a word with an opposite stands in one alone',
  name: 'they name different things',
  spelling: 'a word is spelt otherwise',
  order: 'the same things in another order',
};

export const nearText = {
  shape: 'duplicates',
  list: 'Memories that mean nearly the same',
  looking: 'Comparing every memory with all older ones …',
  none: 'Nothing says nearly the same',
  noneBody: (at: number) =>
    `No two memories of one speaker lie at a cosine of ${at.toFixed(2)} or more. A lower one shows what is less alike.`,
  noVectors: 'No memory has a vector yet',
  noVectorsBody: 'They come behind the texts, as soon as the model is loaded.',
  from: 'Nearly the same from',
  hint: 'An answer shows one of what is linked, the better one. Both stay, and a link goes when either text changes.',
  joins: (at: number, n: number) => `a cosine of ${at.toFixed(2)} links ${pairs(n)}`,
  inForce: (at: number) => `linked from ${at.toFixed(2)} on`,
  use: (at: number) => `Link from ${at.toFixed(2)} on`,
  used: (at: number) => `Memories are linked from ${at.toFixed(2)} on`,
  groups: (n: number) => `${counted(n, 'group', 'groups')} of nearly the same text`,
  group: (n: number, near: number) =>
    `${n} memories, ${n === 2 ? 'cosine' : 'cosine at least'} ${cosine(near)}`,
  more: (n: number) => `and ${n} more`,
  contradictions: (n: number) => counted(n, 'possible contradiction', 'possible contradictions'),
  differ: (apart: Apart, near: number) => `Cosine ${cosine(near)}, but ${APART[apart]}`,
  older: 'stored first',
  newer: 'stored later',
  merge: 'Merge …',
  keep: 'Keep both',
  keepAll: 'Keep all',
  supersede: 'Keep the later one',
  kept: (n: number) => `${pairs(n)} kept apart`,
  joined: (n: number) => `${pairs(n)} may be linked again`,
  keptBefore: (n: number) => `${pairs(n)} kept apart by you`,
  partial: (n: number, of: number) => `the newest ${n} of ${of} were compared with all older ones`,
  shown: (n: number, of: number) => `the first ${n} of ${of}`,
  saidBy: (id: string, near: number) =>
    `${id} said nearly the same before (cosine ${cosine(near)})`,
  saidAgain: (id: string, near: number) => `${id} says nearly the same (cosine ${cosine(near)})`,
  linked: 'Nearly the same',
};
