import { expect, it } from 'vitest';
import type { SessionView } from '../ipc/bindings';
import { firstQuestions, subject } from './questions';

const session = (name: string, opening: string, rest: Partial<SessionView> = {}): SessionView => ({
  ...{ org: '/work/harbor', agent: 'claude-code', session: name, opening, path: null },
  ...{ first: null, last: '2026-05-01T00:00:00Z', memories: 9, said: 1, calls: 3, errors: 0 },
  ...rest,
});

it.each([
  ['Please get the berth service to start.', 'get the berth service to start'],
  ['Hey, can you fix the tide table?', 'fix the tide table'],
  ['API keys leak in logs', 'API keys leak in logs'],
  ['\n\nRename Berth everywhere\nand more', 'rename Berth everywhere'],
  ['ok', null],
])('%j is about %j', (opening, about) => expect(subject(opening)).toBe(about));

it('asks about three conversations, each for what stands out in it', () => {
  const questions = firstQuestions([
    session('a', 'Move the locks to PostgreSQL', { last: '2026-05-09T00:00:00Z', errors: 5 }),
    session('b', 'Make the tests green', { errors: 4 }),
    session('c', 'Write the customs form', { said: 12 }),
    session('d', 'Rename the crane', { errors: 1 }),
    session('e', 'ok'),
  ]);
  expect(questions).toEqual([
    { kind: 'decided', about: 'move the locks to PostgreSQL' },
    { kind: 'wrong', about: 'make the tests green' },
    { kind: 'asked', about: 'write the customs form' },
  ]);
  expect(firstQuestions([session('e', 'ok')])).toEqual([]);
});
