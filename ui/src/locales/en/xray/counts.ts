/** Counted things, in the singular where there is one. */
import { count } from '../format';

export const results = (n: number) => (n === 1 ? '1 result' : `${count(n)} results`);
export const memories = (n: number) => (n === 1 ? '1 memory' : `${count(n)} memories`);
export const words = (n: number) => (n === 1 ? '1 word' : `${n} words`);
