import { screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { createFake } from '../../ipc/fake';
import { useStatus } from '../../ipc/hooks';
import { keys } from '../../ipc/keys';
import { findings } from '../../testing/axe';
import { NOW, renderWithCore } from '../../testing/render';
import { Welcome } from './Welcome';

function First() {
  const status = useStatus().data;
  if (!status) return null;
  return status.vault === 'open' ? <p>open: {status.folder}</p> : <Welcome status={status} />;
}

it('creates a vault only from two equal passphrases that are good enough', async () => {
  const { person, core, client } = renderWithCore(<First />, { vault: 'none' });
  const first = await screen.findByLabelText('Passphrase');
  const again = screen.getByLabelText('Once more');
  const create = await screen.findByRole('button', { name: 'Create it and read 29 logs' });
  expect(await findings()).toEqual([]);

  await person.type(first, 'short');
  await person.type(again, 'short');
  expect(create.hasAttribute('disabled')).toBe(true);
  await person.clear(first);
  await person.type(first, 'tulip ladder seven moss');
  await person.clear(again);
  await person.type(again, 'tulip lander');
  expect(await screen.findByText('The two are not the same.')).toBeTruthy();
  await person.clear(again);
  await person.type(again, 'tulip ladder seven moss');
  await waitFor(() => expect(create.hasAttribute('disabled')).toBe(false));
  await person.click(create);
  expect(await screen.findByText(/^open/)).toBeTruthy();
  expect(core.calls.filter((call) => call.command === 'createVault')).toHaveLength(1);
  expect(window.location.hash).toBe('#/xray?show=beginning');

  const cached = JSON.stringify([
    client
      .getQueryCache()
      .getAll()
      .map((query) => [query.queryKey, query.state.data]),
    client
      .getMutationCache()
      .getAll()
      .map((mutation) => mutation.state),
  ]);
  expect(cached).not.toContain('tulip');
  expect(client.getQueryData(keys.status)).toMatchObject({ vault: 'open' });
});

it('says that a passphrase is wrong and lets the person try again', async () => {
  const { person } = renderWithCore(<First />, { vault: 'locked' });
  const field = await screen.findByLabelText('Passphrase');
  expect(document.activeElement).toBe(field);
  await person.type(field, 'wrong one{Enter}');
  expect(await screen.findByText(/doesn’t open this vault/)).toBeTruthy();
  expect(await findings()).toEqual([]);
  await person.clear(field);
  await person.type(field, 'correct horse battery{Enter}');
  expect(await screen.findByText(/^open/)).toBeTruthy();
});

it('opens the demo memory', async () => {
  const { person } = renderWithCore(<First />, { vault: 'none' });
  await person.click(await screen.findByRole('button', { name: 'Open the demo' }));
  expect(await screen.findByText(/^open: .*demo/)).toBeTruthy();
});

it('lets the keychain open the vault when a person asks for it, and never by itself', async () => {
  const { person, core } = renderWithCore(<First />, {
    vault: 'locked',
    keychain: { slot: true, state: 'ready' },
  });
  const button = await screen.findByRole('button', { name: 'Unlock with the system’s keychain' });
  expect(await findings()).toEqual([]);
  // The passphrase keeps the focus: who types it need not know of the button.
  expect(document.activeElement).toBe(screen.getByLabelText('Passphrase'));
  expect(core.calls.map((call) => call.command)).not.toContain('unlockByKeychain');
  await person.click(button);
  expect(await screen.findByText(/^open/)).toBeTruthy();
});

it('says why the keychain did not open the vault', async () => {
  const { person } = renderWithCore(<First />, {
    vault: 'locked',
    keychain: { slot: true, state: 'locked' },
  });
  await person.click(await screen.findByRole('button', { name: /keychain/ }));
  expect((await screen.findByRole('alert')).textContent).toMatch(/keychain is locked/);
  expect(await findings()).toEqual([]);
  await person.type(screen.getByLabelText('Passphrase'), 'correct horse battery{Enter}');
  expect(await screen.findByText(/^open/)).toBeTruthy();
});

it.each([
  ['absent', /No keychain is running here/],
  ['no_entry', /has no entry for this vault/],
] as const)('offers no keychain that cannot open the vault: %s', async (state, words) => {
  renderWithCore(<First />, { vault: 'locked', keychain: { slot: true, state } });
  expect(await screen.findByText(words)).toBeTruthy();
  expect(screen.queryByRole('button', { name: /keychain/ })).toBeNull();
});

it('says nothing of keychains where no key slot is one’s', async () => {
  const { core } = renderWithCore(<First />, { vault: 'locked' });
  await screen.findByLabelText('Passphrase');
  await waitFor(() => expect(core.calls.map((call) => call.command)).toContain('keychain'));
  expect(screen.queryByText(/keychain/)).toBeNull();
  expect(screen.queryByRole('button', { name: /keychain/ })).toBeNull();
});

it('a backup comes back on a machine that has no vault yet, and is open then', async () => {
  const { person, core } = renderWithCore(<First />, { vault: 'none' });
  await person.click(await screen.findByRole('button', { name: 'Restore a backup instead' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Restore a backup' }));
  expect(dialog.getByText(/becomes the one on this machine/)).toBeTruthy();
  await person.click(dialog.getByRole('button', { name: 'Backup: Choose …' }));
  await person.type(
    dialog.getByLabelText('Passphrase of the backup'),
    'correct horse battery{Enter}',
  );
  expect(await dialog.findByText('Restored: 420 memories')).toBeTruthy();
  expect(await findings()).toEqual([]);
  await person.click(dialog.getByRole('button', { name: 'Close' }));
  expect(await screen.findByText(/^open/)).toBeTruthy();
  expect(core.calls.map((call) => call.command)).toContain('unlock');
});

it('says what lies on this machine, and reads what is wanted with the same press', async () => {
  const { person, core } = renderWithCore(<First />, { vault: 'none', watching: false });
  expect(await screen.findByText(/This machine has logs of Claude Code and Codex/)).toBeTruthy();
  const codex = screen.getByRole('checkbox', {
    name: /^Codex 6 logs · 2.1 MB · 2 Apr 2026 – 2 May 2026/,
  });
  expect(screen.queryByText(/Hermes/)).toBeNull();
  await person.click(codex);
  expect(await findings()).toEqual([]);
  await person.type(screen.getByLabelText('Passphrase'), 'tulip ladder seven moss');
  await person.type(screen.getByLabelText('Once more'), 'tulip ladder seven moss');
  const create = screen.getByRole('button', { name: 'Create it and read 23 logs' });
  await waitFor(() => expect(create).toBeEnabled());
  await person.click(create);
  expect(await screen.findByText(/^open/)).toBeTruthy();
  const watched = core.calls.filter((call) => call.command === 'watchFolder');
  expect(watched.map((call) => call.args)).toEqual([
    [{ paths: ['/home/ada/.claude/projects'], format: null, subagents: false, left_out: [] }],
  ]);
});

it('leads to Sources when nothing was found, or nothing is wanted', async () => {
  const core = createFake({ now: NOW, vault: 'none', watching: false });
  core.discoverFolders = async () => [];
  const { person } = renderWithCore(<First />, { core });
  expect(await screen.findByText(/No agent’s logs were found here/)).toBeTruthy();
  await person.type(screen.getByLabelText('Passphrase'), 'tulip ladder seven moss');
  await person.type(screen.getByLabelText('Once more'), 'tulip ladder seven moss');
  const create = screen.getByRole('button', { name: 'Create the vault' });
  await waitFor(() => expect(create).toBeEnabled());
  await person.click(create);
  await waitFor(() => expect(window.location.hash).toBe('#/sources'));
});
