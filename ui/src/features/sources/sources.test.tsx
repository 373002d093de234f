import { screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { findings } from '../../testing/axe';
import { renderWithCore } from '../../testing/render';
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
  await person.click(await screen.findByRole('button', { name: 'Store 3,920 memories and watch' }));
  expect(store.isConnected).toBe(false);
  const card = await screen.findByRole('article', { name: '/home/ada/.claude/projects' });
  expect(await within(card).findByRole('progressbar')).toBeTruthy();
  expect(core.calls.find((call) => call.command === 'watchFolder')?.args).toEqual([
    { paths: ['/home/ada/.claude/projects'], format: null, subagents: true },
  ]);
  await waitFor(() => expect(within(card).queryByRole('progressbar')).toBeNull(), {
    timeout: 8000,
  });
  expect(within(card).getByText('3,105 memories stored')).toBeTruthy();
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
