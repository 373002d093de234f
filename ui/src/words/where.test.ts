import { expect, it } from 'vitest';
import { conversationOf, placeOf, projectOf, titleOf } from './where';

it.each([
  ['/home/dana/work/harbor', 'harbor'],
  ['C:\\Users\\dana\\harbor\\', 'harbor'],
  ['acme', 'acme'],
  ['', ''],
  ['/', '/'],
])('the project of %j is %j', (org, name) => {
  expect(projectOf(org)).toBe(name);
});

it.each([
  ['5e551000-0000-4000-8000-000000000001.jsonl:88', '5e551000….jsonl:88'],
  ['/home/ada/notes/claw/7f48.md:621', '7f48.md:621'],
  ['notes', 'notes'],
  ['.env:3', '.env:3'],
])('the place %j is written %j', (source, short) => {
  expect(placeOf(source)).toBe(short);
});

it('a title is one line and never cuts a letter in half', () => {
  expect(titleOf('  Mend\n the   tides ')).toBe('Mend the tides');
  expect(titleOf('🌊'.repeat(50), 4)).toBe('🌊🌊🌊…');
});

it('equal names of two agents are two conversations', () => {
  const of = (agent: string) => conversationOf({ org: '', agent, session: 's1' });
  expect(of('codex')).not.toBe(of('hermes'));
  expect(conversationOf({ org: '', agent: 'codex', session: null })).toBeNull();
});
