import { screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { createFake, type Fake, type FakeOptions } from '../../ipc/fake';
import { useStatus } from '../../ipc/hooks';
import { findings } from '../../testing/axe';
import { NOW, renderWithCore } from '../../testing/render';
import { byteLines } from './bytes';
import { VaultSection } from './VaultSection';

const PASSPHRASE = 'correct horse battery';

async function shown(options: FakeOptions = {}) {
  const core = createFake({ now: NOW, demo: false, ...options });
  const view = renderWithCore(<VaultSection />, { core });
  await screen.findByRole('heading', { name: 'Vault' });
  return view;
}

const panel = (name: string) => within(screen.getByRole('region', { name }));
const called = (core: Fake, command: string) =>
  core.calls.filter((call) => call.command === command).map((call) => call.args);

it('the whole section has no accessibility finding', async () => {
  await shown();
  expect(await screen.findByText('7.7 MB')).toBeTruthy();
  expect(await findings()).toEqual([]);
});

it('says that a vault is sound, and when that was', async () => {
  const { person } = await shown();
  expect(panel('Health').getByText(/Not checked/)).toBeTruthy();
  await person.click(panel('Health').getByRole('button', { name: 'Check now' }));
  expect(await panel('Health').findByText(/The vault is sound. Checked \d/)).toBeTruthy();
  expect(panel('Health').queryByRole('button', { name: 'Repair …' })).toBeNull();
});

it('says what is wrong and what helps, repairs it, and says what was lost and where the rest is', async () => {
  const { person } = await shown({ damaged: true });
  expect(panel('Health').getByText(/Pages of traces can’t be read/)).toBeTruthy();
  await person.click(panel('Health').getByRole('button', { name: 'Check now' }));
  expect(await panel('Health').findByText(/3 things are wrong with the vault/)).toBeTruthy();
  expect(panel('Health').getByText(/A page of traces is damaged/)).toBeTruthy();
  expect(panel('Health').getAllByText(/sets this one aside/)).toHaveLength(2);
  expect(panel('Health').getByText(/structure of the database is broken in 2 places/)).toBeTruthy();
  expect(await findings()).toEqual([]);
  await person.click(panel('Health').getByRole('button', { name: 'Repair …' }));
  await person.type(
    await screen.findByLabelText('Passphrase or recovery code'),
    `${PASSPHRASE}{Enter}`,
  );
  expect(await panel('Health').findByText('The vault is repaired.')).toBeTruthy();
  expect(panel('Health').getByText('461 rows were saved into a new file.')).toBeTruthy();
  expect(panel('Health').getByText(/rows numbered 7 to 9 are lost/)).toBeTruthy();
  expect(panel('Health').getByText(/damaged-1/)).toBeTruthy();
  expect(panel('Health').queryByText('No row was lost.')).toBeNull();
});

it('what a check said outlives the files being exchanged, everything else is read anew', async () => {
  const { person, core } = await shown();
  await person.click(panel('Health').getByRole('button', { name: 'Check now' }));
  await panel('Health').findByText(/The vault is sound/);
  const before = called(core, 'filesOnDisk').length;
  core.notify({ type: 'reopened' });
  await waitFor(() => expect(called(core, 'filesOnDisk').length).toBe(before + 1));
  expect(panel('Health').getByText(/The vault is sound/)).toBeTruthy();
});

it('backs up to a file, into a folder that keeps some, and names a refusal', async () => {
  const { person, core } = await shown();
  await person.click(panel('Backup').getByRole('button', { name: 'Back up to a file …' }));
  expect(await panel('Backup').findByText(/seen to open: 420 memories/)).toBeTruthy();
  expect(called(core, 'backUp')).toEqual([['/home/ada/lethescope-backup.tar', null]]);
  await person.click(panel('Backup').getByRole('button', { name: /Of those in the folder keep/ }));
  await person.click(await screen.findByRole('option', { name: 'the newest 3' }));
  await person.click(panel('Backup').getByRole('button', { name: 'Into a folder …' }));
  expect(await panel('Backup').findByText('1 older backup made room.')).toBeTruthy();
  expect(called(core, 'backUp').at(-1)).toEqual(['/home/ada/notes/claw', 3]);
  core.failWith('backUp', 'disk_full');
  await person.click(panel('Backup').getByRole('button', { name: 'Back up to a file …' }));
  expect(await panel('Backup').findByText(/The disk is full/)).toBeTruthy();
  core.pickPlace = async () => null;
});

it('restores only with a file and its passphrase, and says where the other vault went', async () => {
  const { person, core } = await shown();
  const open = panel('Backup').getByRole('button', { name: 'Restore a backup …' });
  await person.click(open);
  const dialog = within(await screen.findByRole('dialog', { name: 'Restore a backup' }));
  expect(dialog.getByText(/set aside, whole/)).toBeTruthy();
  const passphrase = dialog.getByLabelText('Passphrase of the backup');
  await person.type(passphrase, `${PASSPHRASE}{Enter}`);
  expect(called(core, 'restoreBackup')).toEqual([]);
  await person.click(dialog.getByRole('button', { name: 'Backup: Choose …' }));
  expect(await dialog.findByText('/home/ada/notes/decisions.md')).toBeTruthy();
  await person.clear(passphrase);
  await person.type(passphrase, 'guess{Enter}');
  expect(await dialog.findByText(/doesn’t open this backup/)).toBeTruthy();
  expect(await findings()).toEqual([]);
  await person.type(passphrase, `${PASSPHRASE}{Enter}`);
  expect(await dialog.findByText('Restored: 420 memories')).toBeTruthy();
  expect(dialog.getByText(/before-restore-1/)).toBeTruthy();
  await person.click(dialog.getByRole('button', { name: 'Close' }));
  await waitFor(() => expect(document.activeElement).toBe(open));
});

it('warns of plain forms, exports, and counts what an import brought', async () => {
  const { person, core } = await shown();
  const exchange = panel('Export and import');
  expect(exchange.queryByText(/Not encrypted/)).toBeNull();
  await person.click(exchange.getByRole('radio', { name: 'Markdown' }));
  expect(exchange.getByText(/Not encrypted/)).toBeTruthy();
  await person.click(exchange.getByRole('button', { name: 'Export …' }));
  expect(await exchange.findByText(/420 memories written to/)).toBeTruthy();
  expect(called(core, 'exportMemories')).toEqual([['/home/ada/memories.md', 'markdown']]);

  await person.click(exchange.getByRole('button', { name: 'Import an archive …' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Import an archive' }));
  await person.click(dialog.getByRole('button', { name: 'Archive: Choose …' }));
  await person.type(dialog.getByLabelText('Passphrase of the archive'), `${PASSPHRASE}{Enter}`);
  const counts = within(await dialog.findByRole('table', { name: /What became of/ }));
  expect(counts.getAllByRole('row').map((row) => row.textContent)).toEqual([
    'memories added2',
    'memories here already420',
    'memories deleted here before, left out1',
    'memories that differ, kept as they are herem3, m92',
    'new research entries1',
  ]);
  expect(await findings()).toEqual([]);
});

it('shows what lies on the disk, and seeks a word that the cache never holds', async () => {
  const { person, client } = await shown();
  const proof = panel('Proof');
  expect(await proof.findByRole('img', { name: 'First bytes of vault.keys' })).toHaveTextContent(
    '"format":',
  );
  const field = proof.getByLabelText('A word that stands in your memories');
  await person.type(field, 'gateway{Enter}');
  expect(
    await proof.findByText(/It stands in \d+ memories and nowhere in the 8.0 MB of the 4 files\./),
  ).toBeTruthy();
  expect(
    JSON.stringify(
      client
        .getQueryCache()
        .getAll()
        .map((one) => one.queryKey),
    ),
  ).not.toContain('gateway');
  await person.clear(field);
  await person.type(field, 'tea{Enter}');
  expect(await proof.findByText(/turn up in encrypted files by chance/)).toBeTruthy();
  await person.clear(field);
  await person.type(field, 'argon2id{Enter}');
  expect(await proof.findByText('vault.keys: 1 time')).toBeTruthy();
  await person.clear(field);
  await person.type(field, 'unheard-of{Enter}');
  expect(await proof.findByText(/No memory holds it/)).toBeTruthy();
  expect(proof.getByText(/says little/)).toBeTruthy();
});

it('bytes stand sixteen to a line beside the letters that they would be', () => {
  const head = `${'00'.repeat(15)}41${'7a20'}`;
  expect(byteLines(head)).toEqual([
    { hex: `${'00 '.repeat(15)}41`, letters: `${'·'.repeat(15)}A` },
    { hex: '7a 20', letters: 'z·' },
  ]);
});

it('lets go of the vectors of tokens, and keeps them again', async () => {
  const { core, person } = await shown();
  const kept = () => core.settings().then((settings) => settings.keep_token_vectors);
  const choice = await panel('What takes the space').findByRole('switch', {
    name: 'Keep the vectors of tokens',
  });
  expect(choice).toHaveProperty('checked', true);
  await person.click(choice);
  await waitFor(async () => expect(await kept()).toBe(false));
  await waitFor(() => expect(choice).toHaveProperty('checked', false));
  await person.click(choice);
  await waitFor(async () => expect(await kept()).toBe(true));
});

it('names the largest kind of storage first, and what damage hides', async () => {
  const { core, person } = await shown();
  const storage = panel('What takes the space');
  const first = (await storage.findAllByRole('rowheader'))[0];
  expect(first?.textContent).toBe('keyword indexes');
  core.failWith('storage', 'damaged');
  await person.click(screen.getByRole('button', { name: 'Refresh' }));
  expect(await storage.findByText(/Repair the vault first/)).toBeTruthy();
});

it('in the demo offers what applies to it and says why the rest does not', async () => {
  await shown({ demo: true });
  expect(panel('Backup').getAllByRole('button')).toHaveLength(1);
  expect(panel('Backup').getByRole('button', { name: 'Backup: what it means' })).toBeTruthy();
  expect(panel('Export and import').queryByRole('radio', { name: 'archive' })).toBeNull();
  expect(panel('Export and import').queryByRole('button', { name: /Import/ })).toBeNull();
  expect(panel('Health').getByRole('button', { name: 'Check now' })).toBeTruthy();
  expect(await panel('Locking').findByRole('button', { name: /Lock after/ })).toBeTruthy();
});

function Known() {
  const status = useStatus();
  return <p>{status.data?.vault}</p>;
}

it('what is known of the vault stands while its files are exchanged', async () => {
  const core = createFake({ now: NOW, demo: false });
  renderWithCore(<Known />, { core });
  expect(await screen.findByText('open')).toBeTruthy();
  const real = core.status;
  core.status = async () => ({ ...(await real()), vault: 'at_work' });
  core.notify({ type: 'model' });
  await waitFor(() => expect(called(core, 'status').length).toBeGreaterThan(1));
  expect(screen.getByText('open')).toBeTruthy();
});
