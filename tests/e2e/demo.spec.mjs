// The demo memory as a newcomer meets it, and every section in light and dark: a picture to look at, and axe's verdict.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { Key } from './webdriver.mjs';
import { Folders, until, Window, wait } from './window.mjs';

const SECTIONS = ['X-ray', 'Memories', 'Tuning', 'Sources', 'Vault', 'Settings'];

const folders = new Folders('demo');
let window;

before(async () => {
  window = await Window.open('demo', folders);
});
after(async () => {
  await window?.close();
  folders.remove();
});

const section = (name) => window.section(name);

const theme = (name) => window.theme(name);

async function ask(text) {
  await section('X-ray');
  await window.fill('Query', text, { role: 'searchbox' });
  await window.press(Key.enter);
  // A memory that was open before covers the list.
  await window.click('tab', /^Results/, { ms: 20_000 });
  const list = await until(
    'results',
    async () => {
      const [found] = await window.all('list', 'Results, best first');
      return found && (await window.session.script((it) => it.querySelectorAll('[data-row]').length, found))
        ? found
        : undefined;
    },
    20_000,
  );
  tops.add(await window.session.script((it) => Math.round(it.getBoundingClientRect().top), list));
  return list;
}
/** Where the results begin, of every query. */
const tops = new Set();

test('the first window has no serious accessibility finding', async () => {
  await window.find('button', /Open the demo/);
  await window.picture('welcome');
  assert.deepEqual(await window.findings(), []);
});

test('the demo opens, with enough in it', async () => {
  await window.click('button', /Open the demo/);
  await window.find('navigation', 'Sections', { ms: 60_000 });
  const { memories, demo } = await window.invoke('status');
  assert.equal(demo, true);
  assert.ok(memories >= 600, `${memories} memories`);
  const { agents, earliest, latest } = await window.invoke('facets');
  assert.ok(agents.length >= 4, `${agents.length} agents`);
  const days = (new Date(latest) - new Date(earliest)) / 86_400_000;
  assert.ok(days >= 89, `${days} days`);
  await until(
    'vectors',
    async () => {
      const status = await window.invoke('status');
      return status.embedded === status.embeddable;
    },
    120_000,
  );
});

test('the guided query is offered and answers', async () => {
  const [first] = await window.invoke('demo_guide');
  await section('X-ray');
  await window.sees(new RegExp(first.query.slice(0, 20).replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')));
  const list = await ask(first.query);
  assert.ok((await window.text(list)).length > 20);
});

const FINDS = [
  ['TypeError: cannot unpack non-iterable NoneType object payment gateway', /[0-9a-f]{7}/],
  ['ERR_VAL_9021', /ERR_VAL_9021/],
  ['src/gateway/client.rs', /src\/gateway\/client\.rs/],
  ['yuki.tanabe@hoshino-chaen.example', /yuki\.tanabe@hoshino-chaen\.example/],
  ['7d4f1c2e-9b3a-4e5d-8f60-2a1b3c4d5e6f', /7d4f1c2e-9b3a-4e5d-8f60-2a1b3c4d5e6f/],
  ['9fceb02', /9fceb02/],
  ['C++', /C\+\+/],
  ['Fortune 500 client meeting', /Meeting with Fortune 500 client/],
  ['gateway日志', /gateway日志/],
  ['会議室', /会議室/],
  ['项目', /项目/],
  ['大别山', /大别山/],
];
for (const [query, first] of FINDS) {
  test(`"${query}" finds its own memory first`, async () => {
    const list = await ask(query);
    await until(`${first} on top`, async () => {
      const top = await window.session.script((it) => it.querySelector('[data-row]')?.innerText ?? '', list);
      return first.test(top);
    });
  });
}

const rowsOf = (list) =>
  window.session.script((it) => [...it.querySelectorAll('[data-row]')].map((row) => row.innerText), list);

const LISTS = [
  ['What does the user prefer when writing database migrations?', 'schema changes as plain SQL files'],
  ['freight forwarder contact', 'Ingrid Solheim'],
];
for (const [query, wanted] of LISTS) {
  test(`"${query}" brings “${wanted}”`, async () => {
    const list = await ask(query);
    await until(wanted, async () => (await rowsOf(list)).some((row) => row.includes(wanted)));
  });
}

test('what one is about to press stays where it is from answer to answer', () => {
  assert.equal(tops.size, 1, [...tops].join(', '));
});

test('of two notes that say the same, today’s comes first', async () => {
  const list = await ask('staging certificate renewal');
  await until('both, in that order', async () => {
    const rows = await rowsOf(list);
    const [today, old] = ['OPS-412 is open', 'OPS-377'].map((text) =>
      rows.findIndex((row) => row.includes(text)),
    );
    return today >= 0 && (old < 0 || today < old);
  });
});

for (const query of ['System.out.println("hello")*', 'foo"bar', 'NEAR(', 'content:x', '-016', '   ']) {
  test(`${JSON.stringify(query)} never breaks the window`, async () => {
    await section('X-ray');
    await window.fill('Query', query, { role: 'searchbox' });
    await window.press(Key.enter);
    await wait(600);
    assert.doesNotMatch(await window.text(), /Something broke|could not be answered/);
  });
}

for (const look of ['light', 'dark']) {
  test(`every section in ${look}: a picture, and no serious accessibility finding`, async () => {
    await theme(look);
    const wrong = [];
    for (const name of SECTIONS) {
      if (name === 'X-ray') await ask('how did we fix the unpack error in the payment gateway?');
      else await section(name);
      await wait(500);
      await window.picture(`${name.toLowerCase()}-${look}`);
      wrong.push(...(await window.findings()).map((line) => `${name}: ${line}`));
    }
    assert.deepEqual(wrong, []);
  });
}

test('a memory, opened from a list, in both looks', async () => {
  for (const look of ['light', 'dark']) {
    await theme(look);
    const list = await ask('how did we fix the unpack error in the payment gateway?');
    await window.session.script((it) => it.querySelector('[data-row]').click(), list);
    await window.sees(/sum reproduces the engine’s score/);
    await window.picture(`memory-${look}`);
    assert.deepEqual(await window.findings(), []);
  }
});

test('a past query opens as it was, and the clock ranks again', async () => {
  await ask('ERR_VAL_9021');
  await ask('how did we fix the unpack error in the payment gateway?');
  await window.find('slider', 'Rank as if it were');
  await window.sees(/in the next 90 days/, { ms: 20_000 });
  await window.click('button', 'History');
  const list = await window.find('list', 'Past queries, newest first');
  await until('both queries', async () => /ERR_VAL_9021/.test(await window.text(list)));
  await window.picture('history');
  assert.deepEqual(await window.findings(), []);
  await window.click('button', /^Show as it was: ERR_VAL_9021/);
  await window.sees(/Read-only/);
  await window.picture('stored-trace');
  assert.deepEqual(await window.findings(), []);
  await window.click('button', 'Back to the present');
  await window.find('slider', 'candidates');
});

test('the map holds every embedded memory', async () => {
  const { embedded } = await window.invoke('status');
  await section('Memories');
  await window.click('radio', 'map');
  await window.find('region', 'Map of the memories', { ms: 20_000 });
  await window.sees(new RegExp(`${embedded} memories by (meaning|their neighbours)`));
  await window.find('radio', 'neighbours', { ms: 60_000 });
  await window.sees(new RegExp(`${embedded} memories by their neighbours`));
  await wait(900);
  await window.picture('map');
  assert.deepEqual(await window.findings(), []);
});

test('the window works when it is small', async () => {
  await window.session.resize(700, 640);
  await wait(600);
  await window.picture('small');
  const overflow = await window.session.script(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  assert.ok(overflow <= 0, `${overflow} px to the side`);
  await window.session.resize(1440, 900);
});
