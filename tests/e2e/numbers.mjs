// The numbers that were promised, measured in the real programs at 10,000 memories: see `npm run bench`.
// With `--check` a missed budget is a failure.

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';

import { question, seeded, writeLog, writeLogs } from './invented.mjs';
import { Folders, until, Window } from './window.mjs';

const MEMORIES = 10_000;
const QUERIES = 200;
const LOGS = 200e6;
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
/** One figure, what it means, and its budget. A figure that is no positive number timed nothing, which is a fault. */
const row = (what, means, value, unit, budget, better = 'less') => {
  if (!(value > 0 && Number.isFinite(value))) throw new Error(`"${what}" timed nothing: ${value} ${unit}`);
  const met = budget === undefined || (better === 'less' ? value <= budget : value >= budget);
  rows.push({ what, means, value, unit, budget, better, met });
};

/** What is left of a time when what the program does anyway is taken off; too little of it times nothing. */
function beyond(ms, idle) {
  if (ms < 3 * idle)
    throw new Error(`${ms.toFixed(0)} ms of which ${idle.toFixed(0)} pass anyway: too little to be timed`);
  return (ms - idle) / 1000;
}

/** Reads the same bytes and parses their lines, storing nothing: what no ingestion can be faster than here by much. */
function parsedOnly(files) {
  const began = performance.now();
  let lines = 0;
  for (const file of files) {
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      if (line.startsWith('{')) JSON.parse(line);
      lines += 1;
    }
  }
  if (lines === 0) throw new Error('nothing was parsed');
  return (performance.now() - began) / 1000;
}

async function inTheWindow() {
  const began = performance.now();
  const window = await Window.open('numbers', folders);
  try {
    await window.find('button', /unlock/i);
    row(
      'cold start to a usable window',
      'from starting the program to its unlock button, WebDriver included',
      performance.now() - began,
      'ms',
      2000,
    );
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
    row(
      'embedding',
      'memories of one to four sentences, from unlocking to the last vector, window open',
      MEMORIES / ((performance.now() - embedding) / 1000),
      'memories/s',
    );

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
    row(
      'query without rerank, through the bridge, p50',
      'a question in other words than any before, its embedding included',
      percentile(queries, 0.5),
      'ms',
    );
    row(
      'query without rerank, through the bridge, p95',
      'the same, of 200 questions',
      percentile(queries, 0.95),
      'ms',
      40,
    );
    row('  of it in the stages, p95', "the sum of the stages' own times", percentile(stages, 0.95), 'ms');
    row(
      'slider re-rank, through the bridge, p50',
      'a past query ranked again with two constants moved',
      percentile(retunes, 0.5),
      'ms',
    );
    row(
      'slider re-rank, through the bridge, p95',
      'the same, of 200 moves',
      percentile(retunes, 0.95),
      'ms',
      16,
    );
  } finally {
    await window.close();
  }
}

try {
  lethescope('init');
  const idle = lethescope('status').ms;
  const { ms: filling, answer } = lethescope('ingest', log, '--no-embed');
  if (answer.stored !== MEMORIES) throw new Error(`${answer.stored} of ${MEMORIES} records were stored`);
  await inTheWindow();

  // A vault of its own, so that the questions above are asked of as many memories as they say.
  const logs = writeLogs(join(folders.outside, 'logs'), { bytes: LOGS, until: Date.now() });
  const vault = ['--vault', join(folders.outside, 'vault-of-logs')];
  lethescope('init', ...vault);
  const taken = lethescope('ingest', join(folders.outside, 'logs'), '--no-embed', ...vault);
  const seconds = beyond(taken.ms, idle);
  const floor = parsedOnly(logs.files);
  const means = `${(logs.bytes / 1e6).toFixed(0)} MB of ${logs.files.length} logs in five formats, from the folder to stored and keyword-searchable`;
  row('ingest', means, logs.bytes / 1e6 / seconds, 'MB/s');
  row('ingest, memories stored', 'the same', taken.answer.stored / seconds, 'memories/s', 5000, 'more');
  row(
    'ingest against parsing alone',
    'its time over that of reading and JSON.parse of the same files here',
    seconds / floor,
    '×',
  );
  row('ingest of short notes', `${MEMORIES} lines of JSON`, MEMORIES / beyond(filling, idle), 'records/s');

  console.log(
    `\n${MEMORIES.toLocaleString('en')} memories, ${cpus().length} × ${cpus()[0]?.model ?? 'processor'}, Node ${process.versions.node}\n`,
  );
  for (const { what, means, value, unit, budget, better, met } of rows) {
    const limit =
      budget === undefined ? '' : `  ${met ? 'ok  ' : 'MISS'} ${better === 'less' ? '≤' : '≥'} ${budget}`;
    console.log(
      `${what.padEnd(48)} ${value.toFixed(value < 100 ? 1 : 0).padStart(9)} ${unit.padEnd(11)}${limit}\n    ${means}`,
    );
  }
} finally {
  folders.remove();
}
if (process.argv.includes('--check') && rows.some(({ met }) => !met)) process.exitCode = 1;
