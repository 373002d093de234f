// The story of one miss, told by the window alone: a query, the memory that is not there, the reason, the slider, the
// judgement, the sweep, the regression suite. One window; each step builds on the last. Its pictures are the book's.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { Folders, until, Window } from './window.mjs';

const folders = new Folders('miss');
let window;
/** The planted miss of the demo's guide, and the slider that mends it. */
let planted;
let constant;

before(async () => {
  window = await Window.open('miss', folders);
});
after(async () => {
  await window?.close();
  folders.remove();
});

const step = (name, work) => test(name, () => window.step(name, work));

const section = (name) => window.section(name);

const theme = (name) => window.theme(name);

/** A picture of a step in both looks; the window stays where it was. */
async function pictures(name, back) {
  await window.picture(`${name}-light`);
  await theme('dark');
  await back();
  await window.picture(`${name}-dark`);
  // What was said to a screen reader is taken back after some seconds; until then it may name a button that is gone.
  await until('silence', () =>
    window.session.script(() => !document.querySelector('[data-live-announcer] [role="img"]')),
  );
  assert.deepEqual(await window.findings(), []);
  await theme('light');
  await back();
}

const results = async () => {
  const [list] = await window.all('list', 'Results, best first');
  return list
    ? window.session.script((it) => [...it.querySelectorAll('[data-row]')].map((row) => row.innerText), list)
    : [];
};
/** The names of all buttons that start so. */
const labels = (start) =>
  window.session.script(
    (start) =>
      [...document.querySelectorAll('button[aria-label]')]
        .map((it) => it.getAttribute('aria-label'))
        .filter((label) => label.startsWith(start)),
    start,
  );
const holds = (rows) => rows.some((row) => row.includes(planted.text));

step('the demo opens with a planted miss', async () => {
  await window.click('button', /Open the demo/);
  await window.find('navigation', 'Sections', { ms: 60_000 });
  await until(
    'vectors',
    async () => {
      const { embedded, embeddable } = await window.invoke('status');
      return embedded === embeddable;
    },
    120_000,
  );
  await theme('light');
  const guide = await window.invoke('demo_guide');
  const found = guide.find(({ expected }) => expected !== null);
  assert.ok(found, 'the guide has a planted miss');
  const { card } = await window.invoke('get_memory', {
    id: found.expected,
    recall: null,
  });
  planted = {
    query: found.query,
    id: found.expected,
    text: card.snippet.slice(0, 36),
  };
});

step('the query does not bring the expected memory', async () => {
  await section('X-ray');
  await window.click('button', /planted miss/);
  await window.click('tab', /^Results/, { ms: 20_000 });
  const rows = await until('results', async () => {
    const rows = await results();
    return rows.length > 0 && rows;
  });
  assert.equal(holds(rows), false);
  // What is answered and what is moved stand on one screen.
  const cut = await window.session.script(() => {
    const main = document.querySelector('main');
    return main.scrollHeight - main.clientHeight;
  });
  assert.equal(cut, 0, 'nothing of the X-ray has to be scrolled to');
  await pictures('miss-1-query', async () => {
    await section('X-ray');
    await window.click('tab', /^Results/);
  });
});

step('the verdict names the gate, its numbers and the smallest change', async () => {
  await window.click('tab', /^Why/);
  const gates = await window.find('table', 'Gates', { ms: 20_000 });
  await window.sees(/lost here/, { within: gates });
  await window.sees(/Smallest change that brings it into the top \d+/);
  const [label] = await labels('Try ');
  assert.ok(label, 'some constant alone brings it back');
  constant = /^Try (.+) \S+(?: d)?$/.exec(label)[1];
  await pictures('miss-2-verdict', async () => {
    await section('X-ray');
    await window.find('table', 'Gates', { ms: 20_000 });
  });
});

step('the slider is dragged into its green band, and the memory appears', async () => {
  if (!(await window.has('slider', constant))) await window.click('button', 'More constants');
  const slider = await window.find('slider', constant);
  const places = await window.session.script((it) => {
    it.scrollIntoView({ block: 'center' });
    const box = it.getBoundingClientRect();
    const share = (it.value - it.min) / (it.max - it.min);
    const thumb = 15;
    const x = box.left + thumb / 2 + share * (box.width - thumb);
    const bands = [...it.parentElement.querySelectorAll('[class*="band"]')].map((band) => {
      const { left, right } = band.getBoundingClientRect();
      return (left + right) / 2;
    });
    const y = box.top + box.height / 2;
    bands.sort((a, b) => Math.abs(a - x) - Math.abs(b - x));
    return { from: [x, y], to: [bands[0], y] };
  }, slider);
  await window.session.drag(places.from.map(Math.round), places.to.map(Math.round));
  await window.click('tab', /^Results/);
  await until('the memory among the results', async () => holds(await results()));
  await window.sees(/edited/);
  await until('the verdict to follow', async () => !/lost here/.test(await window.text()));
  await pictures('miss-3-slider', async () => {
    await section('X-ray');
    await window.click('tab', /^Results/);
    await until('the memory among the results', async () => holds(await results()));
  });
});

step('the memory is judged with a key', async () => {
  const list = await window.find('list', 'Results, best first');
  await window.session.script(
    (it, text) => [...it.querySelectorAll('[data-row]')].find((row) => row.innerText.includes(text)).focus(),
    list,
    planted.text,
  );
  await window.press('3');
  await until('the judgement', async () => {
    const golden = await window.invoke('golden_queries');
    return golden.some(({ grades }) => grades[planted.id] === 3);
  });
  await window.sees(/success@5/);
});

/** Sweeps a constant; gives what the finding says. */
async function sweep(name) {
  await section('Tuning');
  await window.click('button', /Constant$/);
  await window.click('option', name);
  await window.click('button', 'Sweep');
  const [, said] = await window.sees(/(gives the best nDCG@10|is already the best|makes no difference)/, {
    ms: 60_000,
  });
  return said;
}

step('from where it was lost, a sweep finds the value, and it is accepted', async () => {
  await section('X-ray');
  await window.click('button', /^Reset/);
  assert.equal(await sweep(constant), 'gives the best nDCG@10');
  await window.find('button', /^Use \d/);
  await pictures('miss-4-sweep', () => sweep(constant));
  await window.click('button', /^Use \d/);
  await window.sees(new RegExp(`${constant} is now`));
});

step('the regression suite made of it is green', async () => {
  const run = async () => {
    await section('Tuning');
    await window.click('button', 'Fill from golden queries');
    await window.click('button', 'Run');
    await window.sees(/Green: the query passes/, { ms: 30_000 });
  };
  await run();
  await pictures('miss-5-suite', run);
});

step('without the change the same suite is red', async () => {
  await section('X-ray');
  await window.click('button', /^Reset/);
  await section('Tuning');
  await window.click('button', 'Fill from golden queries');
  await window.click('button', 'Run');
  await window.sees(/Red: 1 of 1 query fails/, { ms: 30_000 });
});
