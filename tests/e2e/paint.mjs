// How long a slider takes until the window shows the answer, on a large vault: see `npm run bench`.
//
// Argument: the folder of a vault that the scale bench filled (`--fill --window --keep FOLDER`). Every move is a real
// input event on a real slider. Three things are timed from it:
//   answered   the core's answer has come back through the bridge
//   drawn      React has changed the page by it, and the engine has laid it out: what the program itself does
//   painted    the frame that shows it has begun, and the next one after it (requestAnimationFrame twice), so that it
//              counts a wait for the display that no program can shorten
// Without a graphics card WebKit paints in software, on the processors that everything else needs too; that is in
// `painted` and said with the numbers.

import { symlinkSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';

import { Folders, until, Window } from './window.mjs';

const PASSPHRASE = 'seven quiet herons wade at dusk';
/** Sliders that rank again in different stages, and how far each one goes. */
const SLIDERS = ['RRF k', 'keyword weight', 'half-life', 'decay floor', 'candidates'];
const MOVES = 50;
const BUDGET_MS = 16;

const vault = process.argv[2];
const folders = new Folders('paint');

const percentile = (values, p) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * p))];

/** Moves one slider again and again; each move waits until it is on the screen. */
async function moves(window, name, count) {
  const slider = await window.find('slider', name);
  return window.session.asyncScript(
    async (slider, count) => {
      const fetch = window.fetch;
      let answered = () => {};
      // The page's own calls, listened to; the bridge itself cannot be replaced.
      window.fetch = (...call) => {
        const answer = fetch.apply(window, call);
        if (String(call[0]?.url ?? call[0]).endsWith('/retune')) {
          const body = answer.then((reply) => reply.clone().text());
          body.then(() => answered(performance.now()));
        }
        return answer;
      };
      const frame = () => new Promise((done) => requestAnimationFrame(done));
      const task = () => new Promise((done) => setTimeout(done, 0));
      const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
      const rows = [];
      for (let move = 0; move < count; move++) {
        // Whatever the last move left to do is not this one's.
        await new Promise((done) => setTimeout(done, 60));
        await frame();
        await task();
        const place = 200 + ((move * 97) % 1600);
        const began = performance.now();
        const back = new Promise((done) => {
          answered = done;
        });
        set.call(slider, String(place));
        slider.dispatchEvent(new Event('input', { bubbles: true }));
        // The slider itself has moved; what changes from here on is the answer's doing, in one go.
        await null;
        const changed = new Promise((done) => {
          const observer = new MutationObserver(() => {
            observer.disconnect();
            document.body.getBoundingClientRect();
            done(performance.now());
          });
          const all = { subtree: true, childList: true, characterData: true, attributes: true };
          observer.observe(document.querySelector('main'), all);
        });
        const arrived = await Promise.race([back, new Promise((done) => setTimeout(done, 2000, null))]);
        if (arrived === null) continue;
        // What has not changed two frames after the answer is not changed by it: nothing to draw.
        const drawn = await Promise.race([
          changed,
          frame()
            .then(frame)
            .then(() => null),
        ]);
        if (drawn === null) continue;
        await frame();
        await frame();
        rows.push([arrived - began, drawn - began, performance.now() - began]);
      }
      window.fetch = fetch;
      return rows;
    },
    slider,
    count,
  );
}

let failed = false;
try {
  symlinkSync(vault, join(folders.data, 'vault'));
  const window = await Window.open('paint', folders);
  try {
    await window.find('button', /unlock/i, { ms: 20_000 });
    await window.fill(/passphrase/i, PASSPHRASE);
    await window.click('button', /unlock/i);
    await window.find('navigation', 'Sections', { ms: 30_000 });
    const { memories } = await window.invoke('status');
    await until('the model', async () => (await window.invoke('status')).model.state === 'ready', 60_000);
    // The words of one memory: rare and common ones, as the vault has them.
    const { cards } = await window.invoke('list_memories', { request: { limit: 1, offset: 0 } });
    const words = cards[0].snippet.split(' ').slice(0, 5).join(' ');
    await window.fill('Query', `${words}\uE007`);
    await window.find('list', 'Results, best first', { ms: 60_000 });
    await until(
      'the reranker',
      async () => !/reading|searching/.test(await window.text((await window.all('status', /Time/))[0])),
      60_000,
    );
    const legs = await window.session.script(() =>
      [...document.querySelectorAll('[data-stage]')]
        .slice(1, 4)
        .map((card) => card.lastElementChild.textContent),
    );
    const warm = await moves(window, SLIDERS[0], 5);
    if (warm.length === 0) throw new Error('no move was answered');
    const rows = [];
    for (const name of SLIDERS) rows.push(...(await moves(window, name, MOVES)));
    console.log(
      `\n${memories.toLocaleString('en')} memories (knn ${legs[0]}, bm25 ${legs[1]}, fusion ${legs[2]}), ${rows.length} slider moves, ${cpus().length} × ${cpus()[0]?.model ?? 'processor'}, WebKit in software\n`,
    );
    for (const [index, [what, budget]] of [
      ['slider → answer through the bridge'],
      ['slider → drawn and laid out', BUDGET_MS],
      ['slider → painted, wait for two frames included'],
    ].entries()) {
      const values = rows.map((row) => row[index]);
      const p95 = percentile(values, 0.95);
      const met = budget === undefined || p95 <= budget;
      failed ||= !met;
      console.log(
        `${what.padEnd(50)} p50 ${percentile(values, 0.5).toFixed(1).padStart(6)} ms  p95 ${p95.toFixed(1).padStart(6)} ms${
          budget === undefined ? '' : `  ${met ? 'ok  ' : 'MISS'} ≤ ${budget}`
        }`,
      );
    }
  } finally {
    await window.close();
  }
} finally {
  folders.remove();
}
if (process.argv.includes('--check') && failed) process.exitCode = 1;
