// From nothing to the first X-ray on one's own logs: what the first window found, one press, and a project left out.

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { writeSessions } from './sessions.mjs';
import { Folders, until, Window } from './window.mjs';

const PASSPHRASE = 'seven quiet herons wade at dusk';

const folders = new Folders('beginning');
let window;

before(async () => {
  const projects = join(folders.home, '.claude/projects');
  mkdirSync(projects, { recursive: true });
  writeSessions(projects, { until: Date.now() - 3_600_000 });
  mkdirSync(join(folders.home, '.codex'));
  writeFileSync(join(folders.home, '.codex/AGENTS.md'), '# Rules\n\n- Never deploy on a Friday.\n');
  window = await Window.open('beginning', folders);
  await window.session.resize(1024, 700);
});
after(async () => {
  await window?.close();
  folders.remove();
});

const step = (name, work) => test(name, () => window.step(name, work));

step('the first window says what it found', async () => {
  await window.sees(/This machine has logs of Claude Code and Codex/);
  await window.find('checkbox', /^Claude Code 8 logs/);
  await window.picture('beginning-found');
  assert.deepEqual(await window.findings(), []);
});

step('one press leads to the first X-ray', async () => {
  await window.fill('Passphrase', PASSPHRASE);
  await window.fill('Once more', PASSPHRASE);
  await window.click('button', 'Create it and read 9 logs');
  const list = await window.find('list', 'Results, best first', { ms: 60_000 });
  await until('results', () =>
    window.session.script((it) => it.querySelectorAll('[data-row]').length > 0, list),
  );
  const { memories, sources } = await window.invoke('status');
  assert.equal(sources, 2);
  const paths = (await window.invoke('sources')).map(({ path }) => path);
  const { stored } = await window.invoke('dry_run', { request: { paths } });
  assert.equal(memories, stored, 'a dry run promises what is there');
  const query = await window.find('textbox', 'Query');
  assert.match(await window.session.script((it) => it.value, query), /^what was decided about /);
  await window.picture('beginning-x-ray');
  assert.deepEqual(await window.findings(), []);
});

step('a dry run tells the projects apart, and one of them is left out', async () => {
  const [first] = await window.invoke('sources');
  await window.invoke('unwatch', { id: first.id });
  await window.section('Sources');
  await window.click('button', 'Watch … Claude Code');
  await window.sees(/3 projects/, { ms: 20_000 });
  await window.picture('beginning-projects');
  assert.deepEqual(await window.findings(), []);
  // The box itself is drawn by its label, which is what a person clicks.
  const box = await window.find('checkbox', /^harbor/);
  await window.session.click(await window.session.script((it) => it.closest('label'), box));
  await window.click('button', /^Store [\d,]+ memories and watch/);
  const source = await until('the source', async () =>
    (await window.invoke('sources')).find(({ left_out: out }) => out.length > 0),
  );
  assert.match(source.left_out.join(), /harbor$/);
  await window.sees(/without harbor/);
});
