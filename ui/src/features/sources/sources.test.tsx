import { act, screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { createFake } from '../../ipc/fake';
import { findings } from '../../testing/axe';
import { NOW, renderWithCore } from '../../testing/render';
import { xrayStore } from '../xray/store';
import { SourcesSection } from './SourcesSection';

it('shows what is in a folder before the first byte is stored, then watches it', async () => {
  const { person, core } = renderWithCore(<SourcesSection />, { watching: false });
  expect(await screen.findByText('Nothing is watched yet')).toBeTruthy();
  await person.click(await screen.findByRole('button', { name: 'Watch … Claude Code' }));
  const store = await screen.findByRole('button', { name: 'Store 3,104 memories and watch' });
  expect(screen.getByText('18.9 MB')).toBeTruthy();
  expect(screen.getByText('text ← message, role ← who, created_at ← ts')).toBeTruthy();
  expect(core.calls.some((call) => call.command === 'watchFolder')).toBe(false);
  expect(await findings()).toEqual([]);

  await person.click(screen.getByRole('switch', { name: 'Sub-agents’ transcripts too' }));
  await screen.findByRole('button', { name: 'Store 3,920 memories and watch' });
  // Projects are told by their folder, and each can stay out.
  const shop = screen.getByRole('checkbox', { name: /^shop/ });
  expect(shop.closest('label')?.textContent).toContain(
    '14 sessions · 7 Jan 2026 – 17 May 2026 · 900 messages, 600 tool calls and 600 tool results',
  );
  await person.click(screen.getByRole('checkbox', { name: /^garden/ }));
  await person.click(await screen.findByRole('button', { name: 'Store 3,120 memories and watch' }));
  expect(store.isConnected).toBe(false);
  const card = await screen.findByRole('article', { name: '/home/ada/.claude/projects' });
  expect(await within(card).findByRole('progressbar')).toBeTruthy();
  expect(core.calls.find((call) => call.command === 'watchFolder')?.args).toEqual([
    {
      paths: ['/home/ada/.claude/projects'],
      format: null,
      subagents: true,
      left_out: ['/home/ada/garden'],
    },
  ]);
  await waitFor(() => expect(within(card).queryByRole('progressbar')).toBeNull(), {
    timeout: 8000,
  });
  expect(within(card).getByText('3,105 memories stored')).toBeTruthy();
  expect(within(card).getByText('without garden')).toBeTruthy();
});

it('says in a sentence with an example why records were left out', async () => {
  const { person } = renderWithCore(<SourcesSection />, { watching: false });
  await person.click(await screen.findByRole('button', { name: 'Watch … Claude Code' }));
  await screen.findByRole('button', { name: /^Store/ });
  expect(screen.getByText(/repeats much of the main agent/)).toBeTruthy();
  expect(screen.getByText(/written again while it streamed/)).toBeTruthy();
});

it('offers first questions about the conversations that came in, until one was asked', async () => {
  const core = createFake({ now: NOW });
  const status = core.status;
  core.status = async () => ({ ...(await status()), demo: false });
  const { person } = renderWithCore(<SourcesSection />, { core });
  const first = await screen.findByRole('button', { name: /^what was decided about / });
  expect(screen.getByRole('button', { name: /^what went wrong with / })).toBeTruthy();
  expect(screen.getByRole('button', { name: /^what did the user ask for/ })).toBeTruthy();
  expect(await findings()).toEqual([]);
  await person.click(first);
  expect(window.location.hash).toContain('#/xray?q=what+was+decided');
  act(() => xrayStore().set({ asked: { text: 'x' } as never }));
  expect(screen.queryByRole('button', { name: /^what was decided about / })).toBeNull();
});

it('says clearly that a folder is not there', async () => {
  const { person } = renderWithCore(<SourcesSection />);
  await person.type(await screen.findByLabelText('Path'), '/missing/logs{Enter}');
  expect((await screen.findByRole('alert')).textContent).toContain('(/missing/logs)');
});

it('lists unreadable lines and stops watching', async () => {
  const { person } = renderWithCore(<SourcesSection />);
  await person.click(await screen.findByRole('button', { name: '2 unreadable lines' }));
  const dialog = await screen.findByRole('dialog');
  expect(await within(dialog).findByText(/7f3a\.jsonl:812/)).toBeTruthy();
  expect(await findings(dialog)).toEqual([]);
  await person.keyboard('{Escape}');
  const card = screen.getByRole('article', { name: '/home/ada/.codex/sessions' });
  await person.click(within(card).getByRole('button', { name: 'Stop watching' }));
  await waitFor(() => expect(card.isConnected).toBe(false));
});
