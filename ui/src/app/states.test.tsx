/** Every list that did not come says so in a sentence, offers to try again, and comes then. */
import { act, screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { xrayStore } from '../features/xray/store';
import type { Backend } from '../ipc/backend';
import { createFake, type Fake } from '../ipc/fake';
import { findings } from '../testing/axe';
import { NOW, renderWithCore } from '../testing/render';
import { App } from './App';

async function shows(core: Fake, hash: string) {
  window.location.hash = hash;
  const view = renderWithCore(<App />, { whole: true, core });
  await screen.findByRole('navigation');
  return view;
}

it.each<[keyof Backend, string, RegExp]>([
  ['listMemories', '#/memories', /^420 memories/],
  ['sources', '#/sources', /\/home\/ada\/\.codex/],
  ['discoverFolders', '#/sources', /Watch … /],
  ['documents', '#/sources?tab=documents', /Gateway runbook|runbook/],
  ['listResearch', '#/sources?tab=research', /sources?$/],
  ['latencies', '#/vault', /^Ask something in the X-ray/],
  ['goldenQueries', '#/tuning', /No query is judged yet/],
  ['history', '#/xray?show=history', /asked yet|Past queries/],
])('%s', async (command, hash, comes) => {
  const core = createFake({ now: NOW });
  core.failWith(command, 'busy');
  const { person } = await shows(core, hash);
  const again = await screen.findAllByRole('button', { name: 'Try again' }, { timeout: 8000 });
  expect(again).toHaveLength(1);
  expect(document.body.textContent).toContain('Another program holds the vault.');
  expect(await findings()).toEqual([]);
  core.failWith(command, null);
  await person.click(again[0] as HTMLElement);
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull());
  await waitFor(() =>
    expect(
      screen.queryAllByText(comes).length +
        screen.queryAllByRole('listbox', { name: comes }).length +
        screen.queryAllByRole('button', { name: comes }).length,
    ).toBeGreaterThan(0),
  );
});

it('a verdict that did not come is asked for again', async () => {
  const core = createFake({ now: NOW });
  const { person } = await shows(core, '#/xray');
  await screen.findByRole('slider', { name: 'candidates' });
  await person.type(screen.getByRole('textbox', { name: 'Query' }), 'payment gateway error{Enter}');
  await screen.findByRole('list', { name: 'Results, best first' });
  core.failWith('why', 'internal');
  act(() => xrayStore().expect('m7'));
  const panel = await screen.findByRole('tabpanel', { name: 'Why missing' });
  const again = await within(panel).findByRole('button', { name: 'Try again' });
  core.failWith('why', null);
  await person.click(again);
  expect(await screen.findByRole('table', { name: 'Gates' }, { timeout: 8000 })).toBeTruthy();
});
