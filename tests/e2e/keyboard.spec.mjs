// The main job in the real window without a pointer: unlock, ask, read, the conversation and back, expect, verdict,
// apply, take back, judge, lock. After every press something inside the page has the focus.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { writeSessions } from './sessions.mjs';
import { Key } from './webdriver.mjs';
import { Folders, until, Window, wait } from './window.mjs';

const PASSPHRASE = 'seven quiet herons wade at dusk';
const QUESTION = 'which port does the server listen on';

const folders = new Folders('keyboard');
const lethescope = folders.commandLine(PASSPHRASE);
let window;

before(async () => {
  writeSessions(folders.outside, { until: Date.now() - 3_600_000 });
  lethescope('init');
  lethescope('ingest', folders.outside);
  window = await Window.open('keyboard', folders);
});
after(async () => {
  await window?.close();
  folders.remove();
});

const step = (name, work) => test(name, () => window.step(name, work));

/** What has the focus: its row, its name, its kind. */
const focused = () =>
  window.session.script(() => {
    const it = document.activeElement;
    const name = it?.getAttribute('aria-label') ?? it?.textContent ?? '';
    const row = it?.dataset.row ?? null;
    return { body: it === null || it === document.body, row, name: name.slice(0, 400), tag: it?.tagName };
  });

/** Presses a key and sees that nobody lost the focus by it, also a moment later. */
async function press(...keys) {
  await window.press(...keys);
  await until('a focus inside the page', async () => !(await focused()).body);
  await wait(250);
  assert.equal((await focused()).body, false, `the focus was lost after ${JSON.stringify(keys)}`);
}

async function type(text) {
  for (const letter of text) await window.press(letter);
}

/** Waits until what has the focus fits. */
const stands = (what, fits, ms) =>
  until(
    what,
    async () => {
      const it = await focused();
      return fits(it) && it;
    },
    ms,
  );

step('the vault opens', async () => {
  await stands('the passphrase', ({ tag }) => tag === 'INPUT', 20_000);
  await type(PASSPHRASE);
  await window.press(Key.enter);
  await window.find('navigation', 'Sections', { ms: 20_000 });
  await window.find('slider', 'candidates', { ms: 20_000 });
});

/** Asks by keys alone and waits until the reranker has read. */
async function ask(text) {
  // In the field itself it would be a letter.
  if ((await focused()).name !== 'Query') await window.press('/');
  await stands('the question', ({ name }) => name === 'Query');
  await type(text);
  await press(Key.enter);
  await until('the answer', async () => {
    const [status] = await window.all('status', /Time/);
    return (
      status &&
      !/reading|searching/.test(await window.text(status)) &&
      (await window.has('list', /best first/))
    );
  });
}

step(
  'a question is asked, an answer read, its conversation opened, and left the way it was entered',
  async () => {
    await stands('the page', ({ body }) => !body);
    await ask(QUESTION);
    await press(Key.down);
    const { row } = await stands('the first result', (it) => it.row !== null);
    await press(Key.enter);
    await stands('the way into the conversation', ({ name }) => name === 'Read the conversation');
    await press(Key.enter);
    await window.find('dialog');
    await press(Key.escape);
    await stands('the way back', ({ name }) => name === 'Read the conversation');
    await press(Key.escape);
    await stands('the row', (it) => it.row === row);
    await press(Key.escape);
    await stands('the question', ({ name }) => name === 'Query');
  },
);

step('one that was cut is expected, brought back by one press, and that press taken back', async () => {
  const { presets, preset } = await window.invoke('settings');
  const { constants } = presets.find(({ name }) => name === preset);
  const request = { text: QUESTION, mode: 'hybrid', filter: {}, constants, now: null, rerank: true };
  const { trace } = await window.invoke('query', { request });
  const { items } = trace.stages.find(({ name }) => name === 'rerank');
  const cut = items.find(({ id, dropped }) => !trace.results.includes(id) && dropped === null);
  assert.ok(cut, 'something was read and is no result');
  await press(Key.down);
  await stands('a row', (it) => it.row !== null);
  await press('w');
  await stands('the search for the expected one', ({ name }) => /Expected memory/.test(name));
  await type(cut.id);
  await window.find('list', 'Memories that contain this');
  await press(Key.tab);
  await stands('the memory', ({ name }) => name.includes(cut.id));
  await press(Key.enter);
  await window.find('table', 'Gates', { ms: 20_000 });
  const line = await window.find('region', 'The expected memory');
  await window.sees(/lost at \w+: \d+\w\w, \d+ are (kept|read|returned)/, { within: line });
  await stands('what to press', ({ name }) => /^(Try|Ask|Pin) /.test(name), 20_000);
  assert.deepEqual(await window.findings(), []);
  await window.picture('keyboard-verdict');
  await press(Key.enter);
  await window.sees(/\d+\w\w of \d+ results/, { within: line, ms: 10_000 });
  await press(Key.control, 'z');
  await window.sees(/lost at/, { within: line, ms: 10_000 });
});

step('a result is judged, all keys are shown, and the vault is locked', async () => {
  await press(Key.escape);
  await until('the results', () => window.has('list', /best first/));
  await press(Key.escape);
  await stands('the question', ({ name }) => name === 'Query');
  await press(Key.down);
  const { row } = await stands('a row', (it) => it.row !== null);
  await press('3');
  await until('the judgement', async () =>
    (await window.invoke('golden_queries')).some(({ grades }) => grades[row] === 3),
  );
  await press(Key.shift, '?');
  await window.find('dialog', 'Keys');
  assert.deepEqual(await window.findings(), []);
  await press(Key.escape);
  await stands('the row again', (it) => it.row === row);
  await press(Key.control, 'k');
  await stands('the commands', ({ name }) => name === 'Commands');
  await type('Lock now');
  await window.press(Key.enter);
  await window.sees(/Your vault is locked/, { ms: 10_000 });
});
