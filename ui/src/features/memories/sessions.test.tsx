import { act, screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { SessionView } from '../../ipc/bindings';
import { createFake } from '../../ipc/fake';
import { findings } from '../../testing/axe';
import { NOW, renderWithCore } from '../../testing/render';
import { MemoriesSection } from './MemoriesSection';
import { byDay, fitting } from './Sessions';

const session = (name: string, rest: Partial<SessionView>): SessionView => ({
  ...{ org: '/work/harbor', agent: 'claude-code', session: name, opening: name, path: null },
  ...{ first: null, last: '2026-05-18T09:00:00Z', memories: 9, said: 1, calls: 3, errors: 0 },
  ...rest,
});

it('groups by day and narrows by project, agent and words', () => {
  const all = [
    session('Move the locks', {}),
    session('Fix the tide table', { org: '/work/orchard' }),
    session('Rename the crane', { last: '2026-05-11T09:00:00Z' }),
    session('Undated', { last: null, agent: 'codex' }),
  ];
  expect(byDay(all).map(([on, of]) => [on, of.length])).toEqual([
    ['18 May 2026', 2],
    ['11 May 2026', 1],
    ['', 1],
  ]);
  const names = (how: Partial<Parameters<typeof fitting>[1]>) =>
    fitting(all, { contains: '', project: null, agents: [], ...how }).map(({ opening }) => opening);
  expect(names({ project: '/work/orchard' })).toEqual(['Fix the tide table']);
  expect(names({ agents: ['codex'] })).toEqual(['Undated']);
  expect(names({ contains: ' THE ' })).toEqual([
    'Move the locks',
    'Fix the tide table',
    'Rename the crane',
  ]);
});

it('lists conversations, and leads by keyboard to what was said in one, from its beginning', async () => {
  const core = createFake({ now: NOW, memories: 120 });
  const { person } = renderWithCore(<MemoriesSection />, { core });
  await person.click(await screen.findByRole('radio', { name: 'sessions' }));
  const list = await screen.findByRole('region', { name: /conversations, the latest first$/ });
  const rows = within(list).getAllByRole('button');
  const sessions = await core.sessions();
  expect(rows).toHaveLength(sessions.length);
  expect(rows[0]?.textContent).toContain(`${sessions[0]?.memories} memor`);
  expect(await findings()).toEqual([]);
  act(() => rows[0]?.focus());
  await person.keyboard('{ArrowDown}{Enter}');
  const count = sessions[1]?.memories;
  const narrowed = await screen.findByRole('listbox', { name: new RegExp(`^${count} memor`) });
  await waitFor(() => expect(document.activeElement).toBe(narrowed));
  const last = core.calls.filter(({ command }) => command === 'listMemories').at(-1)?.args[0];
  expect(last).toMatchObject({ filter: { session: sessions[1]?.session }, sort: 'oldest' });
});

it('says when there are none, and tries again when they did not come', async () => {
  const core = createFake({ now: NOW, memories: 20 });
  core.failWith('sessions', 'busy');
  const { person } = renderWithCore(<MemoriesSection />, { core });
  await person.click(await screen.findByRole('radio', { name: 'sessions' }));
  const again = await screen.findByRole('button', { name: 'Try again' });
  core.failWith('sessions', null);
  core.sessions = async () => [];
  await person.click(again);
  expect(await screen.findByText('No conversations yet')).toBeTruthy();
});
