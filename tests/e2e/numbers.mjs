// The numbers that were promised, measured in the real programs at 10,000 memories: see `npm run bench`.
// With `--check` a missed budget is a failure.

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';

import { question, seeded, writeLog } from './invented.mjs';
import { Folders, until, Window } from './window.mjs';

const MEMORIES = 10_000;
const QUERIES = 200;
const PASSPHRASE = 'seven quiet herons wade at dusk';

const folders = new Folders('numbers');
const passphrase = join(folders.root, 'passphrase');
const log = join(folders.outside, 'log.jsonl');
writeFileSync(passphrase, PASSPHRASE, { mode: 0o600 });
writeLog(log, { count: MEMORIES, until: Date.now() });

/** Runs the command-line program and measures it. */
function lethescope(...args) {
  const began = performance.now();
  const { status, signal, error, stdout, stderr } = spawnSync(
    process.env.E2E_CLI,
    ['--passphrase-file', passphrase, '--json', ...args],
    {
      encoding: 'utf8',
      env: { ...process.env, ...folders.env },
      maxBuffer: 64 << 20,
    },
  );
  if (status !== 0)
    throw new Error(`lethescope ${args[0]}: ${error ?? signal ?? `code ${status}`}\n${stderr?.slice(-2000)}`);
  return { ms: performance.now() - began, answer: JSON.parse(stdout) };
}

const percentile = (values, p) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * p))];

const rows = [];
const row = (what, value, unit, budget, better = 'less') => {
  const met = budget === undefined || (better === 'less' ? value <= budget : value >= budget);
  rows.push({ what, value, unit, budget, better, met });
};

async function inTheWindow() {
  const began = performance.now();
  const window = await Window.open('numbers', folders);
  try {
    await window.find('button', /unlock/i);
    row('cold start to a usable window (driver included)', performance.now() - began, 'ms', 2000);
    await window.invoke('unlock', { passphrase: PASSPHRASE });
    const embedding = performance.now();
    await until(
      'every memory embedded',
      async () => {
        const { embedded, embeddable } = await window.invoke('status');
        return embedded === embeddable && embeddable > 0;
      },
      900_000,
    );
    row('embedding', MEMORIES / ((performance.now() - embedding) / 1000), 'memories/s');

    const random = seeded(7);
    const texts = Array.from({ length: QUERIES }, () => question(random));
    const { queries, stages, retunes } = await window.session.asyncScript(async (texts) => {
      const invoke = window.__TAURI_INTERNALS__.invoke;
      const { presets } = await invoke('settings');
      const constants = presets[0].constants;
      const measured = { queries: [], stages: [], retunes: [] };
      let view;
      for (const text of texts) {
        const began = performance.now();
        view = await invoke('query', {
          request: { text, mode: 'hybrid', filter: {}, constants, now: null, rerank: false },
        });
        measured.queries.push(performance.now() - began);
        measured.stages.push(view.trace.stages.reduce((sum, stage) => sum + stage.elapsed_ms, 0));
      }
      for (let step = 0; step < texts.length; step++) {
        const tuned = { ...constants, rrf_k: 1 + step, knn_weight: 0.2 + step / 100 };
        const began = performance.now();
        await invoke('retune', {
          request: { recall: view.recall, constants: tuned, now: null, score_unseen: false },
        });
        measured.retunes.push(performance.now() - began);
      }
      return measured;
    }, texts);
    row('query without rerank, through the bridge, p50', percentile(queries, 0.5), 'ms');
    row('query without rerank, through the bridge, p95', percentile(queries, 0.95), 'ms', 40);
    row('  of it in the stages, p95', percentile(stages, 0.95), 'ms');
    row('slider re-rank, through the bridge, p50', percentile(retunes, 0.5), 'ms');
    row('slider re-rank, through the bridge, p95', percentile(retunes, 0.95), 'ms', 16);
  } finally {
    await window.close();
  }
}

try {
  lethescope('init');
  const idle = lethescope('status').ms;
  const { ms, answer } = lethescope('ingest', log, '--no-embed');
  if (answer.stored !== MEMORIES) throw new Error(`${answer.stored} of ${MEMORIES} records were stored`);
  row('ingest, keyword-searchable', MEMORIES / (Math.max(1, ms - idle) / 1000), 'records/s', 5000, 'more');
  await inTheWindow();

  console.log(
    `\n${MEMORIES.toLocaleString('en')} memories, ${cpus().length} × ${cpus()[0]?.model ?? 'processor'}, Node ${process.versions.node}\n`,
  );
  for (const { what, value, unit, budget, better, met } of rows) {
    const limit =
      budget === undefined ? '' : `  ${met ? 'ok  ' : 'MISS'} ${better === 'less' ? '≤' : '≥'} ${budget}`;
    console.log(
      `${what.padEnd(52)} ${value.toFixed(value < 100 ? 1 : 0).padStart(9)} ${unit.padEnd(11)}${limit}`,
    );
  }
} finally {
  folders.remove();
}
if (process.argv.includes('--check') && rows.some(({ met }) => !met)) process.exitCode = 1;
