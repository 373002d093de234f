// An agent's session, from its question to the evidence: a hook asks while the window is open, the question stands in
// the history, the log of the session comes in, and the memories say what the answer made of them.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { Folders, until, Window } from './window.mjs';

const PASSPHRASE = 'seven quiet herons wade at dusk';
const QUESTION = 'how do we deploy the kiosk of Marigold?';
const REMEMBERED = [
  'deploy the kiosk of Marigold with bin/ship_kiosk.sh',
  'deploy of the Marigold kiosk: petunia signs, and geranium approves',
  'the deploy server of the Marigold kiosk listens on port 4002',
];

const folders = new Folders('usage');
const lethescope = folders.commandLine(PASSPHRASE);
const log = (name) => join(folders.outside, name);
let window;

/** A line of a coding agent's log. */
const record = (number, role, content) =>
  `${JSON.stringify({
    type: role,
    uuid: `u${number}`,
    parentUuid: null,
    sessionId: 's7',
    timestamp: new Date(Date.now() + number).toISOString(),
    cwd: '/home/ana/kiosk',
    version: '2.0.0',
    isSidechain: false,
    message: { role, id: `msg${number}`, content },
  })}\n`;

before(async () => {
  lethescope('init');
  const noted = [
    ...REMEMBERED,
    ...Array.from({ length: 60 }, (_, at) => `the server, its port and note ${at}`),
  ];
  const line = (content) => JSON.stringify({ timestamp: '2026-06-01T08:00:00Z', role: 'user', content });
  writeFileSync(log('notes.jsonl'), `${noted.map(line).join('\n')}\n`);
  lethescope('ingest', log('notes.jsonl'));
  window = await Window.open('usage', folders);
  await window.fill(/passphrase/i, PASSPHRASE);
  await window.click('button', /unlock/i);
  await window.find('textbox', 'Query', { ms: 20_000 });
  await window.click('button', 'History');
});

after(async () => {
  await window?.close();
  folders.remove();
});

const row = () => window.find('listitem', undefined, { ms: 5000, within: window.list });

test('what a hook asks stands in the open history', async () => {
  const { status, stdout } = spawnSync(
    process.env.E2E_CLI,
    [
      '--passphrase-file',
      join(folders.root, 'passphrase'),
      'context',
      '--hook',
      'claude-code',
      '--within',
      '60000',
    ],
    {
      encoding: 'utf8',
      env: { ...process.env, ...folders.env },
      input: JSON.stringify({ hook_event_name: 'UserPromptSubmit', prompt: QUESTION, session_id: 's7' }),
    },
  );
  assert.equal(status, 0);
  assert.match(stdout, /ship_kiosk/, 'the hook gives what is remembered');
  window.list = await window.find('list', 'Past queries, newest first', { ms: 5000 });
  await until(
    'the question in the history',
    async () => (await window.text(await row())).includes(QUESTION),
    5000,
  );
  assert.match(await window.text(await row()), /no answer seen yet/);
});

test('once its log comes in, the list says what was used', async () => {
  const folder = log('-home-ana-kiosk');
  mkdirSync(folder, { recursive: true });
  const answer = [
    { type: 'text', text: 'The server is at port 5173. I run the script.' },
    { type: 'tool_use', id: 'c1', name: 'Bash', input: { command: 'bin/ship_kiosk.sh --dry' } },
  ];
  writeFileSync(join(folder, 's7.jsonl'), record(1, 'user', QUESTION) + record(2, 'assistant', answer));
  lethescope('ingest', folder);
  await until('the count', async () => /used 1 of \d/.test(await window.text(await row())), 10_000);
  await window.picture('usage-list');
});

test('and the question as it was marks each memory, with the evidence', async () => {
  await window.click('button', /as it was/i, { within: await row() });
  const results = await window.find('list', 'Results, best first', { ms: 10_000 });
  await until('the mark', async () => /✓\s*used/.test(await window.text(results)), 5000);
  assert.match(await window.text(results), /ignored|not clear|contradicted/);
  await window.picture('usage-results');
  await window.session.script(
    (it, text) => [...it.querySelectorAll('[data-row]')].find((row) => row.innerText.includes(text)).click(),
    results,
    'ship_kiosk',
  );
  await window.sees(/The answer quotes bin\/ship_kiosk\.sh/);
  await window.picture('usage-memory');
});
