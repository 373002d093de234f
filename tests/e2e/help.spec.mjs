// The book in the real window: F1, the question marks, the way back, nothing from the network.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { Key } from './webdriver.mjs';
import { Folders, until, Window } from './window.mjs';

const folders = new Folders('help');
let window;

before(async () => {
  window = await Window.open('help', folders);
});
after(async () => {
  await window?.close();
  folders.remove();
});

const step = (name, work) => test(name, () => window.step(name, work));
const closed = () => until('the book to close', async () => !(await window.has('dialog', 'The book')));

step('F1 opens it before there is a vault, and Esc closes it', async () => {
  await window.find('button', /Open the demo/);
  await window.press(Key.f1);
  await window.find('region', 'Installing');
  await window.press(Key.escape);
  await closed();
});

step('F1 opens the page of the section, with its pictures', async () => {
  await window.click('button', /Open the demo/);
  await window.find('navigation', 'Sections', { ms: 60_000 });
  await window.section('X-ray');
  await window.press(Key.f1);
  const page = await window.find('region', 'Why did this query miss?');
  const [drawn, all] = await until('the pictures', () =>
    window.session.script((it) => {
      const pictures = [...it.querySelectorAll('img')];
      const drawn = pictures.filter((one) => one.naturalWidth > 100);
      return pictures.length > 0 && drawn.length === pictures.length ? [drawn.length, pictures.length] : null;
    }, page),
  );
  assert.deepEqual([drawn, all], [5, 5]);
  assert.deepEqual(await window.findings(), []);
  await window.picture('help');
  await window.press(Key.escape);
  await closed();
});

step('a question mark opens its constant, in a small window and in the dark', async () => {
  await window.theme('dark');
  await window.session.resize(1024, 700);
  await window.section('Tuning');
  await window.click('button', /^decay floor: what it means/);
  const page = await window.find('region', 'Every constant');
  const lit = await window.session.script((it) => {
    const [one] = it.querySelectorAll('[data-lit]');
    const [inner, outer] = [one.getBoundingClientRect(), it.getBoundingClientRect()];
    return { text: one.innerText, seen: inner.top >= outer.top - 1 && inner.bottom <= outer.bottom };
  }, page);
  assert.match(lit.text, /^decay_floor/);
  assert.ok(lit.seen, 'it is on the screen');
  assert.deepEqual(await window.findings(), []);
  await window.picture('help-constant');
  await window.press(Key.escape);
  await closed();
  const focused = await window.session.script(() => document.activeElement?.getAttribute('aria-label'));
  assert.equal(focused, 'decay floor: what it means');
});

step('nothing of it came from the network', async () => {
  const from = await window.session.script(() => [
    ...new Set(performance.getEntriesByType('resource').map(({ name }) => new URL(name).protocol)),
  ]);
  assert.ok(
    from.every((protocol) => ['tauri:', 'ipc:', 'asset:'].includes(protocol)),
    from.join(),
  );
});
