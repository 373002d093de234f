// The vault in the window: what opens it, a check, a backup and the way back, what lies on the disk, an archive that
// goes out and comes in again. Files are chosen in the system's own dialog, as a person would.

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { cancelDialog, choose, missingTool } from './dialog.mjs';
import { Key } from './webdriver.mjs';
import { Folders, until, Window } from './window.mjs';

const PASSPHRASE = 'seven quiet herons wade at dusk';
const NEXT = 'nine brass lanterns by a slow river';
const log = fileURLToPath(new URL('../fixtures/gates/log.jsonl', import.meta.url));
/** It stands in the log, and so in the memories. */
const WORD = 'inspection';

const folders = new Folders('vault');
const lethescope = folders.commandLine(PASSPHRASE);
const inside = join(folders.data, 'vault');
const backup = join(folders.outside, 'mine.tar');
let window;
let memories;

before(async () => {
  lethescope('init');
  lethescope('ingest', log, '--no-embed');
  memories = lethescope('status').memories;
  window = await Window.open('vault', folders);
  await unlock(PASSPHRASE);
});
after(async () => {
  await window?.close();
  folders.remove();
});

const step = (name, work) => test(name, () => window.step(name, work));
const withDialogs = (name, work) => test(name, { skip: missingTool }, () => window.step(name, work));

/** Gives the unlock form a secret; what becomes of it is the caller's. */
async function offer(secret) {
  await window.fill(/^Passphrase/, secret);
  await window.click('button', 'Unlock');
}

async function unlock(secret) {
  await offer(secret);
  await window.find('navigation', 'Sections', { ms: 20_000 });
  await window.section('Vault');
}

async function lock() {
  await window.click('button', 'Lock now');
  await window.sees(/Your vault is locked/);
}

const panel = (name) => window.find('region', name);

/** Presses a button of a panel. */
const press = async (name, button) => window.click('button', button, { within: await panel(name) });

const sees = async (name, pattern, ms) => window.sees(pattern, { within: await panel(name), ms });

/** Fills a form in the dialog of that name and sends it with Enter. */
async function answer(title, fields, role = 'dialog') {
  const dialog = await window.find(role, title);
  const names = Object.keys(fields);
  for (const label of names) {
    const end = label === names.at(-1) ? Key.enter : '';
    await window.fill(label, `${fields[label]}${end}`, { within: dialog });
  }
  return dialog;
}

const noDialog = () => until('the dialog to close', async () => !(await window.has('dialog')), 60_000);

step('says what opens it, and nothing of it is out of reach', async () => {
  await sees('What opens the vault', /each guess takes 64 MiB of memory and 3 passes/);
  await sees('What takes the space', /the database/);
  await sees('Proof', /vault\.keys/);
  await window.picture('vault-own-light');
  assert.deepEqual(await window.findings(), []);
});

step('a recovery code is shown once and opens the vault', async () => {
  await press('What opens the vault', 'New recovery code …');
  await answer('Draw a recovery code', { 'Passphrase or recovery code': PASSPHRASE });
  const dialog = await window.find('dialog', 'Write this down now', { ms: 20_000 });
  const [code] = /(?:[0-9A-Z]{4}-){8}[0-9A-Z]{4}/.exec(await window.text(dialog));
  await window.picture('vault-recovery-code');
  assert.deepEqual(await window.findings(), []);
  // What cannot be shown again is not closed by accident.
  await window.press(Key.escape);
  assert.ok(await window.has('dialog', 'Write this down now'));
  await window.click('button', 'I have written it down');
  await noDialog();
  assert.equal((await window.text()).includes(code), false, 'it is shown once');
  await sees('What opens the vault', /160 random bits/);
  await lock();
  await unlock(code.toLowerCase().replaceAll('-', ' '));
});

step('a changed passphrase opens, and the old one does not any more', async () => {
  await press('What opens the vault', 'Change passphrase …');
  await answer('Change the passphrase', {
    'Passphrase or recovery code': PASSPHRASE,
    'New passphrase': NEXT,
    'Once more': NEXT,
  });
  await noDialog();
  await window.sees(/The passphrase is changed/);
  await lock();
  await offer(PASSPHRASE);
  await window.sees(/doesn’t open this vault/, { ms: 20_000 });
  await unlock(NEXT);
});

step('a check says that it is sound, and when', async () => {
  await press('Health', 'Check now');
  await sees('Health', /The vault is sound\. Checked/, 60_000);
});

step('another key: every file is another one, and the window stays where it is', async () => {
  const head = () => readFileSync(join(inside, 'vault.db')).subarray(0, 16).toString('hex');
  const before = head();
  await press('What opens the vault', 'Encrypt anew …');
  await answer('Encrypt everything anew', { Passphrase: NEXT });
  // The code is drawn anew with the key.
  await window.find('dialog', 'Write this down now', { ms: 60_000 });
  assert.notEqual(head(), before);
  await window.click('button', 'I have written it down');
  await noDialog();
  assert.ok(await window.has('heading', 'Vault'));
  assert.equal((await window.invoke('status')).memories, memories);
  await sees('Health', /The vault is sound/);
});

step('a stored word is in no file, and one of the key file is found there', async () => {
  await window.fill('A word that stands in your memories', `${WORD}${Key.enter}`);
  await sees(
    'Proof',
    /It stands in \d+ memor(y|ies) and nowhere in the [\d.]+ [kM]B of the [34] files/,
    20_000,
  );
  await window.fill('A word that stands in your memories', `argon2id${Key.enter}`);
  await sees('Proof', /vault\.keys: 2 times/, 20_000);
  await window.fill('A word that stands in your memories', `tea${Key.enter}`);
  await sees('Proof', /turn up in encrypted files by chance/);
});

withDialogs('cancelling the dialog backs nothing up', async () => {
  await press('Backup', 'Back up to a file …');
  await cancelDialog('Where the backup is written');
  assert.deepEqual(readdirSync(folders.outside), []);
});

withDialogs('a backup is written, and comes back over what was deleted since', async () => {
  await press('Backup', 'Back up to a file …');
  await choose('Where the backup is written', backup);
  await sees('Backup', /Written and seen to open/, 60_000);
  assert.equal(statSync(backup).mode & 0o777, 0o600);
  assert.equal(readFileSync(backup).includes(WORD), false);
  const { cards } = await window.invoke('list_memories', { request: page() });
  await window.invoke('delete_memories', { ids: cards.map(({ id }) => id) });
  assert.equal((await window.invoke('status')).memories, memories - cards.length);

  await press('Backup', 'Restore a backup …');
  const dialog = await window.find('dialog', 'Restore a backup');
  await window.click('button', 'Backup: Choose …', { within: dialog });
  await choose('Choose a backup', backup);
  await window.sees(/mine\.tar/, { within: dialog });
  await window.fill('Passphrase of the backup', `${PASSPHRASE}${Key.enter}`, { within: dialog });
  await window.sees(/doesn’t open this backup/, { within: dialog, ms: 20_000 });
  await window.picture('vault-restore');
  await window.fill('Passphrase of the backup', `${NEXT}${Key.enter}`, { within: dialog });
  await window.sees(/Restored: /, { ms: 60_000 });
  await window.sees(/before-restore-1/);
  await window.click('button', 'Close', { within: dialog });
  await noDialog();
  assert.equal((await window.invoke('status')).memories, memories);
  assert.ok(existsSync(join(inside, 'before-restore-1', 'vault.db')));
});

withDialogs('an archive goes out and adds nothing when it comes in again', async () => {
  const archive = join(folders.outside, 'archive.tar');
  await press('Export and import', 'Export …');
  await choose('Where the memories are written', archive);
  await sees('Export and import', /memories written to/, 60_000);
  await press('Export and import', 'Import an archive …');
  const dialog = await window.find('dialog', 'Import an archive');
  await window.click('button', 'Archive: Choose …', { within: dialog });
  await choose('Choose an archive or a backup', archive);
  await window.sees(/archive\.tar/, { within: dialog });
  await window.fill('Passphrase of the archive', `${NEXT}${Key.enter}`, { within: dialog });
  const counts = await window.find('table', /What became of/, { ms: 60_000 });
  assert.match(
    await window.text(counts),
    new RegExp(`memories added\\s+0\\s+memories here already\\s+${memories}`),
  );
  await window.picture('vault-imported');
  await window.click('button', 'Close', { within: dialog });
  await noDialog();
});

withDialogs('plain text is warned of, and holds what the memories say', async () => {
  const plain = join(folders.outside, 'plain.md');
  await window.click('radio', 'Markdown', { within: await panel('Export and import') });
  await sees('Export and import', /Not encrypted/);
  await press('Export and import', 'Export …');
  await choose('Where the memories are written', plain);
  await sees('Export and import', /memories written to/, 20_000);
  assert.ok(readFileSync(plain, 'utf8').includes(WORD));
  await window.picture('vault-export');
});

step('a damaged page is named, repaired, and the damaged file kept', async () => {
  await lock();
  const database = join(inside, 'vault.db');
  const bytes = readFileSync(database);
  // A page in the middle: neither the schema's nor one that unlocking reads.
  bytes[bytes.length >> 1] ^= 1;
  writeFileSync(database, bytes);
  await unlock(NEXT);
  await press('Health', 'Check now');
  await sees('Health', /things? (is|are) wrong with the vault/, 60_000);
  await sees('Health', /is damaged: its bytes are not those that were written/);
  await window.picture('vault-damaged');
  assert.deepEqual(await window.findings(), []);
  await press('Health', 'Repair …');
  await answer('Repair the vault', { 'Passphrase or recovery code': NEXT });
  await sees('Health', /The vault is repaired\./, 60_000);
  await sees('Health', /damaged-1/);
  await window.picture('vault-repaired');
  assert.deepEqual(readFileSync(join(inside, 'damaged-1', 'vault.db')), bytes);
  await press('Health', 'Check now');
  await sees('Health', /The vault is sound\. Checked/, 60_000);
});

step('dark, as it is in the demo too', async () => {
  await window.theme('dark');
  await window.section('Vault');
  await window.picture('vault-own-dark');
  await window.session.script(() => document.querySelector('main').scrollBy(0, 700));
  await window.picture('vault-own-dark-below');
  assert.deepEqual(await window.findings(), []);
  await lock();
  await window.picture('vault-locked');
  await window.click('button', 'Look at the demo memory instead');
  await window.find('navigation', 'Sections', { ms: 60_000 });
  await window.section('Vault');
  await sees('What opens the vault', /never leaves memory/);
  await window.picture('vault-demo');
  assert.deepEqual(await window.findings(), []);
});

/** The newest memory. */
function page() {
  return { filter: {}, sort: 'newest', offset: 0, limit: 1, trash: false };
}
