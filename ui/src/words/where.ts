/** Where a memory comes from, short enough for one line: its project, its conversation, its line. */
import type { MemoryCard, SessionView } from '../ipc/bindings';

/** Characters of a conversation's title in a line that says more. */
const TITLE = 44;
/** Characters of a log's name; the names that agents give are random, so their start says enough. */
const FILE = 14;

/** A project is told by its folder's own name; the whole is an organisation that is no path. */
export function projectOf(org: string): string {
  return org.split(/[/\\]/).filter(Boolean).at(-1) ?? org;
}

/** The name of a conversation: what the person said first, in one line. */
export function titleOf(opening: string, most = TITLE): string {
  const line = opening.replace(/\s+/g, ' ').trim();
  const letters = [...line];
  return letters.length <= most
    ? line
    : `${letters
        .slice(0, most - 1)
        .join('')
        .trimEnd()}…`;
}

/** The log's own name and the line: "5e551000….jsonl:88". */
export function placeOf(source: string): string {
  const [, file = source, line = ''] = /^(.*?)(:\d+)?$/s.exec(source) ?? [];
  const name = file.split(/[/\\]/).at(-1) ?? file;
  const [, stem = name, ending = ''] = /^(.+?)(\.[A-Za-z]\w{0,7})?$/s.exec(name) ?? [];
  const letters = [...stem];
  const short = letters.length <= FILE ? stem : `${letters.slice(0, 8).join('')}…`;
  return `${short}${ending}${line}`;
}

/** What tells conversations apart: their own names may repeat among agents. */
export const conversationKey = (of: Pick<SessionView, 'org' | 'agent'> & { session: string }) =>
  JSON.stringify([of.org, of.agent, of.session]);

/** The conversation of a memory, as a key; null when it belongs to none. */
export function conversationOf(card: Pick<MemoryCard, 'org' | 'agent' | 'session'>): string | null {
  const { org, agent, session } = card;
  return session === null ? null : conversationKey({ org, agent, session });
}

/** What a key was made of; three nulls of none. */
export function conversationParts(
  key: string | null,
): [org: string | null, agent: string | null, session: string | null] {
  return key === null ? [null, null, null] : JSON.parse(key);
}
