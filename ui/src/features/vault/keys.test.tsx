import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { createFake } from '../../ipc/fake';
import { RECOVERY_CODE } from '../../ipc/fake/vault';
import { findings } from '../../testing/axe';
import { NOW, renderWithCore } from '../../testing/render';
import { WhatOpens } from './WhatOpens';

const OLD = 'correct horse battery';
const NEXT = 'tulip ladder seven moss';

afterEach(() => vi.restoreAllMocks());

function shown() {
  const core = createFake({ now: NOW, demo: false });
  return renderWithCore(<WhatOpens demo={false} folder="/home/ada/vault" />, { core });
}

/** Everything that outlives a dialog. */
function kept(client: ReturnType<typeof shown>['client']) {
  return JSON.stringify([
    client
      .getQueryCache()
      .getAll()
      .map((query) => [query.queryKey, query.state.data]),
    client
      .getMutationCache()
      .getAll()
      .map((mutation) => mutation.state),
  ]);
}

it('says what opens the vault and what a guess costs, and keeps the last', async () => {
  shown();
  const list = await screen.findByRole('list', { name: 'What opens the vault' });
  expect(within(list).getByText('Passphrase')).toBeTruthy();
  expect(within(list).getByText(/64 MiB of memory and 3 passes/)).toBeTruthy();
  expect(screen.queryByRole('button', { name: /^Remove/ })).toBeNull();
  expect(screen.getByText(/There is no recovery code/)).toBeTruthy();
  expect(await findings()).toEqual([]);
});

it('says of the demo that nothing of this applies', async () => {
  const { core } = renderWithCore(<WhatOpens demo folder="/demo" />);
  expect(await screen.findByText(/never leaves memory/)).toBeTruthy();
  expect(screen.getAllByRole('button', { name: /what it means$/ })).toEqual(
    screen.getAllByRole('button'),
  );
  expect(core.calls.map((call) => call.command)).not.toContain('keySlots');
});

it('changes the passphrase by keyboard, after a wrong one was refused', async () => {
  const { person, core, client } = shown();
  const open = await screen.findByRole('button', { name: 'Change passphrase …' });
  open.focus();
  await person.keyboard('{Enter}');
  const dialog = await screen.findByRole('dialog', { name: 'Change the passphrase' });
  const current = within(dialog).getByLabelText('Passphrase or recovery code');
  expect(document.activeElement).toBe(current);
  expect(await findings()).toEqual([]);

  await person.keyboard('a wrong one');
  await person.tab();
  await person.keyboard(NEXT);
  await person.tab();
  await person.keyboard(NEXT);
  expect(await within(dialog).findByText(/Strength:/)).toBeTruthy();
  await person.keyboard('{Enter}');
  expect(await within(dialog).findByText(/doesn’t open this vault/)).toBeTruthy();
  // The wrong one is gone from the field, which waits for the next try.
  expect(current).toHaveProperty('value', '');
  await waitFor(() => expect(document.activeElement).toBe(current));
  await person.keyboard(`${OLD}{Enter}`);
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(await screen.findByText('The passphrase is changed')).toBeTruthy();
  await waitFor(() => expect(document.activeElement).toBe(open));
  expect(core.calls.at(-1)).toEqual({ command: 'changePassphrase', args: [OLD, NEXT] });
  expect(kept(client)).not.toMatch(/tulip|horse/);
});

it('takes no weak passphrase and none that was typed in two ways', async () => {
  const { person, core } = shown();
  await person.click(await screen.findByRole('button', { name: 'Add passphrase …' }));
  const dialog = await screen.findByRole('dialog', { name: 'Add a passphrase' });
  await person.type(within(dialog).getByLabelText('Passphrase or recovery code'), OLD);
  await person.type(within(dialog).getByLabelText('New passphrase'), 'short');
  await person.type(within(dialog).getByLabelText('Once more'), 'sport');
  await person.click(within(dialog).getByRole('button', { name: 'Add it' }));
  expect(await within(dialog).findByText('The two are not the same.')).toBeTruthy();
  expect(core.calls.map((call) => call.command)).not.toContain('addPassphrase');
});

it('shows a recovery code once, until it is written down, and keeps it nowhere', async () => {
  const { person, client } = shown();
  const print = vi.spyOn(window, 'print').mockImplementation(() => {});
  await person.click(await screen.findByRole('button', { name: 'New recovery code …' }));
  await person.type(await screen.findByLabelText('Passphrase or recovery code'), `${OLD}{Enter}`);
  const dialog = await screen.findByRole('dialog', { name: 'Write this down now' });
  expect(within(dialog).getByText(RECOVERY_CODE)).toBeTruthy();
  expect(await findings()).toEqual([]);
  // Escape does not take away what cannot be shown again.
  await person.keyboard('{Escape}');
  expect(screen.getByRole('dialog')).toBeTruthy();
  await person.click(within(dialog).getByRole('button', { name: 'Copy' }));
  expect(await navigator.clipboard.readText()).toBe(RECOVERY_CODE);
  await person.click(within(dialog).getByRole('button', { name: 'Print or save as PDF …' }));
  expect(print).toHaveBeenCalledOnce();
  // The sheet is what is printed.
  expect(document.querySelector('[data-print-alone] pre')?.textContent).toBe(RECOVERY_CODE);
  await person.click(within(dialog).getByRole('button', { name: 'I have written it down' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(document.body.textContent).not.toContain(RECOVERY_CODE);
  expect(kept(client)).not.toContain(RECOVERY_CODE);
  expect(await screen.findByText('160 random bits, which nobody guesses')).toBeTruthy();
  expect(screen.queryByText(/There is no recovery code/)).toBeNull();

  await person.click(screen.getByRole('button', { name: 'Remove recovery code 2' }));
  const removing = await screen.findByRole('alertdialog', { name: 'Remove this recovery code?' });
  await person.type(within(removing).getByLabelText('Passphrase or recovery code'), OLD);
  await person.click(within(removing).getByRole('button', { name: 'Remove it' }));
  expect(await screen.findByText(/There is no recovery code/)).toBeTruthy();
});

it('encrypts anew, waits for it, and shows the new code', async () => {
  const { person, core } = shown();
  await core.drawRecoveryCode(OLD);
  await core.addPassphrase(OLD, NEXT);
  await person.click(await screen.findByRole('button', { name: 'Encrypt anew …' }));
  const dialog = await screen.findByRole('dialog', { name: 'Encrypt everything anew' });
  expect(within(dialog).getByText(/other passphrases no longer do/)).toBeTruthy();
  let finish = () => {};
  const real = core.rekey;
  core.rekey = async (current) => {
    await new Promise<void>((done) => {
      finish = done;
    });
    return real(current);
  };
  await person.type(within(dialog).getByLabelText('Passphrase'), `${OLD}{Enter}`);
  expect(await within(dialog).findByRole('progressbar')).toBeTruthy();
  await person.keyboard('{Escape}');
  expect(screen.getByRole('dialog')).toBeTruthy();
  finish();
  expect(await screen.findByRole('dialog', { name: 'Write this down now' })).toBeTruthy();
  expect(screen.getByText(/1 other passphrase no longer open it/)).toBeTruthy();
});

it('lets the keychain open the vault after the passphrase was typed, and stops at a press', async () => {
  const { person, core } = shown();
  await person.click(await screen.findByRole('button', { name: 'Use the keychain …' }));
  const dialog = await screen.findByRole('dialog', { name: 'Let the keychain open the vault' });
  expect(within(dialog).getByText(/every program that runs as you/)).toBeTruthy();
  expect(await findings()).toEqual([]);
  await person.keyboard(`${OLD}{Enter}`);
  await person.click(await screen.findByRole('button', { name: 'Stop using it' }));
  expect(await screen.findByRole('button', { name: 'Use the keychain …' })).toBeTruthy();
  const asked = core.calls.map((call) => call.command);
  expect(asked).toContain('useKeychain');
  expect(asked).toContain('forgetKeychain');
});

it('says why the keychain is of no use, and offers nothing then', async () => {
  const core = createFake({ now: NOW, demo: false, keychain: { slot: false, state: 'absent' } });
  renderWithCore(<WhatOpens demo={false} folder="/home/ada/vault" />, { core });
  expect(await screen.findByText('No keychain is running on this system.')).toBeTruthy();
  expect(screen.queryByRole('button', { name: /keychain/ })).toBeNull();
});
