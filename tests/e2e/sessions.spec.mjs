// Real-shaped sessions of a coding agent in the real window: twelve questions whose answers lie among noise, the
// conversation around an answer by keyboard alone, and the way to the log.

import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { QUESTIONS, writeSessions } from './sessions.mjs';
import { Key } from './webdriver.mjs';
import { Folders, until, Window } from './window.mjs';

const PASSPHRASE = 'seven quiet herons wade at dusk';

const folders = new Folders('sessions');
const lethescope = folders.commandLine(PASSPHRASE);
// An editor that notes what it was to open.
const [stub, told] = [join(folders.root, 'editor'), join(folders.root, 'told')];
let window;

before(async () => {
  const records = writeSessions(folders.outside, { until: Date.now() - 3_600_000 });
  assert.ok(records >= 2000, `${records} records`);
  lethescope('init');
  lethescope('ingest', folders.outside);
  writeFileSync(stub, `#!/bin/sh\nprintf %s "$1" > ${told}\n`);
  chmodSync(stub, 0o700);
  const env = { ...folders.env, LETHESCOPE_EDITOR: `${stub} {file}:{line}` };
  window = await Window.open('sessions', { env });
  await window.fill(/passphrase/i, PASSPHRASE);
  await window.click('button', /unlock/i);
  await window.find('navigation', 'Sections', { ms: 20_000 });
});
after(async () => {
  await window?.close();
  folders.remove();
});

const step = (name, work) => test(name, () => window.step(name, work));

/** Every row of the results: its memory, what it says, and whether it is on the screen. */
const rows = () =>
  window.session.script(() =>
    [...document.querySelectorAll('ol [data-row]')].map((row) => {
      const { top, bottom } = row.getBoundingClientRect();
      return { id: row.dataset.row, text: row.innerText, seen: top >= 0 && bottom <= innerHeight };
    }),
  );

/** Asks, and waits until the answer to this question has been read by the reranker. */
async function ask(text) {
  await window.fill('Query', text);
  await window.press(Key.enter);
  await until('the answer', async () => {
    const [status] = await window.all('status', /Time/);
    return status && !/reading|searching/.test(await window.text(status)) && (await rows()).length > 0;
  });
}

for (const [question, answer] of QUESTIONS) {
  step(`“${question}” shows its answer`, async () => {
    await ask(question);
    const found = await until('the answer among the results', async () => {
      const all = await rows();
      const at = all.findIndex(({ text }) => answer.test(text));
      return at >= 0 && { at, ...all[at] };
    });
    assert.ok(found.at < 5, `it stands ${found.at + 1}th`);
    assert.ok((await rows())[0].seen, 'the first result is on the screen');
  });
}

step('a new question closes what was opened for the one before', async () => {
  await ask(QUESTIONS[0][0]);
  await window.session.script(() => document.querySelector('ol [data-row]').click());
  await window.find('article', 'Memory');
  await ask(QUESTIONS[8][0]);
  assert.equal(await window.has('article', 'Memory'), false);
  assert.match((await rows()).map(({ text }) => text).join('\n'), QUESTIONS[8][1]);
});

step(
  'the conversation around an answer is read by keyboard alone, and left the way it was entered',
  async () => {
    await ask(QUESTIONS[4][0]);
    await window.press(Key.down);
    const focused = () => window.session.script(() => document.activeElement?.dataset.row ?? '');
    const id = await until('a row in focus', focused);
    await window.press(Key.enter);
    await until('the way into the conversation', () =>
      window.session.script(() => document.activeElement?.textContent === 'Read the conversation'),
    );
    const { total } = await window.invoke('session', { id });
    const began = Date.now();
    await window.press(Key.enter);
    const here = await until('the conversation', () =>
      window.session.script(() => {
        const turns = document.querySelectorAll('[role="dialog"] [data-turn]');
        const turn = document.querySelector('[role="dialog"] [data-here]');
        const box = turn?.parentElement.getBoundingClientRect();
        const { top, bottom } = turn?.getBoundingClientRect() ?? {};
        return (
          turn && { id: turn.dataset.turn, turns: turns.length, seen: bottom > box.top && top < box.bottom }
        );
      }),
    );
    console.log(`a conversation of ${total} memories was open after ${Date.now() - began} ms`);
    assert.deepEqual(here, { id, turns: total, seen: true });
    assert.deepEqual(await window.findings(), []);
    await window.picture('sessions-conversation');
    await window.press(Key.escape);
    await until('the dialog to close', async () => !(await window.has('dialog')));
    await window.press(Key.escape);
    assert.equal(await until('the row in focus again', focused), id);
  },
);

step('the log of a memory opens in the editor at its line', async () => {
  await window.section('Settings');
  await window.click('button', /at its line/);
  await window.click('option', /LETHESCOPE_EDITOR/);
  await window.section('X-ray');
  const [{ id }] = await rows();
  await window.session.script(() => document.querySelector('ol [data-row]').click());
  await window.click('button', 'Open in the editor');
  const { path, line } = await window.invoke('get_memory', { id, recall: null });
  await until('the editor', () => existsSync(told) && readFileSync(told, 'utf8') === `${path}:${line}`);
});

step('what says nearly the same is listed, kept apart, and that is taken back', async () => {
  await window.section('Memories');
  await window.click('radio', 'duplicates');
  await window.find('region', 'Memories that mean nearly the same', { ms: 60_000 });
  const found = () => window.invoke('duplicates', { at: null });
  // Runs of one command that differ in their numbers alone.
  const { contradiction_count: contradictions } = await found();
  assert.ok(contradictions > 0, `${contradictions} contradictions`);
  assert.deepEqual(await window.findings(), []);
  await window.picture('memories-duplicates');
  const [keep] = await window.all('button', /^Keep both$/);
  await window.session.script((it) => it.scrollIntoView({ block: 'center' }), keep);
  await window.session.click(keep);
  await until('the pair to be kept', async () => (await found()).kept === 1);
  await window.click('button', 'Undo');
  await until('the pair to be asked about again', async () => (await found()).kept === 0);
});
