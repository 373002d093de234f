// A trace as a file, through the system's own dialog: what is written, who may read it, and what cancelling does.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { cancelDialog, choose, missingTool } from './dialog.mjs';
import { Folders, until, Window } from './window.mjs';

const PASSPHRASE = 'seven quiet herons wade at dusk';
const log = fileURLToPath(new URL('../fixtures/gates/log.jsonl', import.meta.url));
const QUERY = 'harbour crane inspection';
/** The title that the page gives the dialog. */
const TITLE = 'Where the trace is written';

const folders = new Folders('export');
let window;

before(async () => {
  if (missingTool) return;
  const lethescope = folders.commandLine(PASSPHRASE);
  lethescope('init');
  lethescope('ingest', log, '--no-embed');
  window = await Window.open('export', folders);
  await window.fill(/passphrase/i, PASSPHRASE);
  await window.click('button', /unlock/i);
  await window.fill('Query', `${QUERY}\uE007`);
  await window.find('list', 'Results, best first', { ms: 20_000 });
});
after(async () => {
  await window?.close();
  folders.remove();
});

const step = (name, work) => test(name, { skip: missingTool }, () => window.step(name, work));

step('cancelling writes nothing and keeps the choice open', async () => {
  await window.click('button', 'Export…');
  await window.find('dialog', 'Export this trace');
  await window.click('button', 'Choose a place…');
  await cancelDialog(TITLE);
  assert.ok(await window.has('dialog', 'Export this trace'));
});

step('the redacted trace is written where the dialog says, for its owner alone', async () => {
  const path = join(folders.outside, 'report.json');
  await window.click('button', 'Choose a place…');
  await choose(TITLE, path);
  await until('the file', () => existsSync(path));
  await window.sees(/report\.json/);
  const text = readFileSync(path, 'utf8');
  const written = JSON.parse(text);
  assert.equal(JSON.stringify(written).includes('crane'), false, 'neither query nor memory');
  assert.match(text, /"stages"/);
  assert.equal(statSync(path).mode & 0o777, 0o600);
});
