// The miss verdict at every gate, read from the window: a vault in which each gate in turn loses the expected memory.
// The command line is asked the same (tests/tests/gates.rs). `embedded` is over before a window could ask, and is tested
// there alone.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { Folders, until, Window } from './window.mjs';

const PASSPHRASE = 'seven quiet herons wade at dusk';
const fixture = (name) => fileURLToPath(new URL(`../fixtures/gates/${name}`, import.meta.url));
const cases = JSON.parse(readFileSync(fixture('cases.json'), 'utf8')).filter(({ model }) => model !== 'late');
/** How the panel calls a gate that is not called by its name. */
const NAMES = { select: 'final' };
/** The stage whose card says that it was lost there. */
const CARDS = { duplicate: 'select' };

const folders = new Folders('gates');
const lethescope = folders.commandLine(PASSPHRASE);
let window;

/** A reranking service that is down for maintenance; its port. */
const service = createServer((request, reply) => {
  request.resume();
  reply.writeHead(503).end();
});
const serve = () => new Promise((done) => service.listen(0, '127.0.0.1', () => done(service.address().port)));

/** Opens the vault in a window; with one preset per case, so that the window chooses it by name. */
async function open(changes = {}) {
  window = await Window.open('gates', { env: { ...folders.env, ...changes } });
  await window.fill(/passphrase/i, PASSPHRASE);
  await window.click('button', /unlock/i);
  await window.find('navigation', 'Sections', { ms: 20_000 });
}

before(async () => {
  lethescope('init');
  lethescope('ingest', fixture('log.jsonl'), fixture('late.jsonl'));
  for (const one of cases) {
    if (one.id) continue;
    // The oldest of those that hold the text, as the command line takes it.
    one.id = lethescope('list', '--contains', one.expect).cards.at(-1).id;
    one.found = true;
  }
  for (const { trash, expires, id } of cases) {
    if (trash) lethescope('delete', id);
    if (expires) lethescope('edit', id, '--expires', expires);
  }
  const endpoint = `http://127.0.0.1:${await serve()}/v1/rerank`;
  lethescope('reranker', 'use', 'http', '--send-texts', '--model', 'm', '--endpoint', endpoint);
  lethescope('reranker', 'use', 'embedded');
  await open();
  const { presets } = await window.invoke('save_settings', { request: { preset: 'Standard' } });
  const standard = presets.find(({ name }) => name === 'Standard').constants;
  for (const [index, { set }] of cases.entries()) {
    if (set) {
      await window.invoke('save_preset', {
        name: `case ${index}`,
        constants: { ...standard, ...set },
      });
    }
  }
  await window.session.script(() => location.reload());
  await window.find('textbox', 'Query', { ms: 20_000 });
});
after(async () => {
  await window?.close();
  service.close();
  folders.remove();
});

/** What the panel says of every gate. */
const gates = () =>
  window.session.script(() =>
    [...document.querySelectorAll('tr[data-verdict]')].map((row) => ({
      name: row.querySelector('th').innerText,
      verdict: row.dataset.verdict,
      note: row.children[2].innerText,
      margin: row.children[3].innerText,
    })),
  );

async function choose(chip, option) {
  await window.click('button', new RegExp(`^${chip} `));
  await window.click('option', new RegExp(`^${option}`));
}

/** Asks a case's question and points at the memory that should have answered. */
async function ask({ query, mode, set, id, expect, found, trash, expires }, index) {
  await window.fill('Query', '');
  await choose('mode', mode ?? 'hybrid');
  await choose('preset', set ? `case ${index}$` : 'Standard');
  if (found) {
    await window.fill('Query', `${query}\uE007`);
    await window.click('tab', /^Why/);
    const [clear] = await window.all('button', 'Forget the expected memory');
    if (clear) {
      await window.session.click(clear);
      await window.click('tab', /^Why/);
    }
    // What lies in the trash or has expired is found by its name only.
    await window.fill(/Expected memory/, trash || expires ? id : expect, { role: 'searchbox' });
    const list = await window.find('list', 'Memories that contain this');
    await window.click('button', new RegExp(`\\b${id}\\b`), { within: list });
  } else {
    // A name that somebody kept: it comes by the address, as from the command palette.
    await window.session.script(
      (hash) => {
        location.hash = hash;
      },
      `/xray?${new URLSearchParams({ q: query, expect: id })}`,
    );
  }
}

for (const [index, one] of cases.entries()) {
  if (one.model) continue;
  test(`lost at ${one.gate}`, () => window.step(`gate ${one.gate}`, () => reads(one, index)));
}

async function reads(one, index) {
  await ask(one, index);
  const wanted = one.verdict ?? 'lost';
  const name = NAMES[one.gate] ?? one.gate;
  const lost = await until(`${one.gate} to be named`, async () =>
    (await gates()).find(
      (gate) => gate.name === name && gate.verdict === wanted && gate.note.includes(one.says),
    ),
  );
  const all = await gates();
  const losers = all.filter(({ verdict }) => verdict === wanted).map((gate) => gate.name);
  // A missing model fails at more than one gate.
  if (wanted === 'lost') assert.deepEqual(losers, [name], 'one gate lost it');
  else assert.ok(losers.includes(name));
  const after = all.slice(all.findIndex((gate) => gate.name === name) + 1);
  assert.ok(after.every(({ verdict }) => ['not_reached', 'missed', 'failed'].includes(verdict)));
  // Ranks are told with what is missing from the cut.
  if (['knn', 'fusion', 'decay', 'rerank', 'select', 'budget'].includes(one.gate) && wanted === 'lost') {
    assert.match(lost.margin, /^short by [\d.]+$/);
  }
  const card = CARDS[one.gate] ?? one.gate;
  if (['knn', 'bm25', 'sparse', 'fusion', 'decay', 'rerank', 'select'].includes(card) && wanted === 'lost') {
    await window.find('button', new RegExp(`^${card}.*lost here`, 's'));
  }
}

test('a leg that failed is never “not found”', async () => {
  const index = cases.findIndex(({ model }) => model === 'none');
  await window.close();
  await open({ LETHESCOPE_MODEL_DIR: join(folders.root, 'no-model') });
  await window.find('textbox', 'Query', { ms: 20_000 });
  await window.step('gate failed', () => reads(cases[index], index));
});
