/** First questions to ask a vault, made from the conversations that are in it. */
import type { SessionView } from '../ipc/bindings';
import { conversationKey, titleOf } from './where';

/** What a question is about, and of which kind it is. */
export interface FirstQuestion {
  kind: 'decided' | 'wrong' | 'asked';
  about: string;
}

/** Characters of a title that go into a question. */
const MOST = 60;
const POLITE =
  /^(?:please|kindly|hi|hello|hey|ok|okay|now|can you|could you|would you|i want to|i need to|let us|let's)\b[,:]?\s*/i;

/** What a person asked for, short enough for a question; null when it says too little. */
export function subject(opening: string): string | null {
  let line = titleOf(opening.split('\n').find((one) => one.trim() !== '') ?? '', MOST);
  for (let before = ''; before !== line; ) {
    before = line;
    line = line.replace(POLITE, '');
  }
  line = line.replace(/[\s.?!:;,…]+$/u, '');
  if (line.split(/\s+/).length < 2) return null;
  // A name or an abbreviation keeps its capitals.
  return /^\p{Lu}\p{Ll}/u.test(line) ? line.charAt(0).toLowerCase() + line.slice(1) : line;
}

/**
 * Three at most, each about another conversation: what the latest one decided, what went wrong in
 * the one with the most errors, and what was asked for in the one in which the person spoke most.
 */
export function firstQuestions(sessions: readonly SessionView[]): FirstQuestion[] {
  const taken = new Set<string>();
  const questions: FirstQuestion[] = [];
  const take = (kind: FirstQuestion['kind'], by: (one: SessionView) => number | string) => {
    const best = sessions
      .filter((one) => !taken.has(conversationKey(one)) && subject(one.opening) !== null)
      .toSorted((a, b) => (by(a) < by(b) ? 1 : by(a) > by(b) ? -1 : 0))[0];
    if (!best) return;
    taken.add(conversationKey(best));
    questions.push({ kind, about: subject(best.opening) as string });
  };
  take('decided', (one) => one.last ?? '');
  take('wrong', (one) => one.errors);
  take('asked', (one) => one.said);
  return questions;
}
