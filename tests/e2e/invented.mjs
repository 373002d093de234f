// Invented logs of any length, the same for the same seed.

import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Numbers in 0..1 (mulberry32). */
export function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const WHO = [
  'the build',
  'the payment gateway',
  'our importer',
  'the nightly job',
  'the search page',
  'the mail queue',
  'the login form',
  'the export',
  'the cache',
  'the scheduler',
  'the invoice renderer',
  'the webhook receiver',
];
const DID = [
  'failed with',
  'was slow because of',
  'was fixed by',
  'needs',
  'now logs',
  'retries after',
  'was reviewed for',
  'depends on',
  'no longer uses',
  'was blocked by',
  'was measured with',
  'should avoid',
];
const WHAT = [
  'a stale lock file',
  'a missing index',
  'an expired certificate',
  'two retries with jitter',
  'a larger connection pool',
  'a null in the response',
  'the wrong time zone',
  'a circular import',
  'an unbounded queue',
  'a feature flag',
  'integer overflow in totals',
  'a race on start-up',
  'the new schema',
  'a smaller batch',
];
const WHERE = [
  'on staging',
  'in production',
  'on the laptop',
  'in the tests',
  'during the migration',
  'after the release',
  'for large accounts',
  'on the second attempt',
  'behind the proxy',
  'in the container',
];
const CODES = ['ERR_TIMEOUT', 'ERR_VAL', 'E_CONN', 'WARN_DISK', 'HTTP'];

const pick = (random, list) => list[Math.floor(random() * list.length)];

/** One to four sentences and sometimes a code. */
export function sentence(random) {
  const length = 1 + Math.floor(random() * 4);
  const parts = Array.from(
    { length },
    () => `${pick(random, WHO)} ${pick(random, DID)} ${pick(random, WHAT)} ${pick(random, WHERE)}`,
  );
  if (random() < 0.3) parts.push(`code ${pick(random, CODES)}_${Math.floor(random() * 10_000)}`);
  return `${parts.join('; ')}.`;
}

/** Questions about such sentences. */
export const question = (random) => `why ${pick(random, WHO)} ${pick(random, DID)} ${pick(random, WHAT)}`;

/** Writes a JSONL log of `count` records that end at `until` (milliseconds), a minute apart. */
export function writeLog(path, { count, seed = 1, until }) {
  const random = seeded(seed);
  const lines = Array.from({ length: count }, (_, index) =>
    JSON.stringify({
      role: index % 2 ? 'assistant' : 'user',
      content: `${sentence(random)} (note ${index + 1})`,
      timestamp: new Date(until - (count - index) * 60_000).toISOString(),
      session: `s${Math.floor(index / 50)}`,
    }),
  );
  writeFileSync(path, `${lines.join('\n')}\n`);
}

/** What a tool answers: a listing with line numbers. */
const listing = (random) =>
  Array.from(
    { length: 10 + Math.floor(random() * 80) },
    (_, at) => `${at + 1}\u2192${sentence(random)}`,
  ).join('\n');

/** A log's lines in the formats that agents write; `turn` has role, text, tool (a listing or nothing), time and number. */
const SHAPES = {
  'projects/-srv-shop/{file}.jsonl': {
    record: ({ role, text, tool, time, number, file }) => ({
      parentUuid: null,
      isSidechain: false,
      cwd: '/srv/shop',
      sessionId: file,
      version: '2.1.150',
      type: tool ? 'user' : role,
      uuid: `${file}-${number}`,
      timestamp: time,
      message: tool
        ? { role: 'user', content: [{ type: 'tool_result', tool_use_id: `call_${number}`, content: tool }] }
        : { role, content: [{ type: 'text', text }] },
    }),
  },
  'sessions/2026/09/20/rollout-2026-09-20T10-00-00-{file}.jsonl': {
    first: ({ file, time }) => ({
      timestamp: time,
      type: 'session_meta',
      payload: {
        id: file,
        timestamp: time,
        cwd: '/srv/shop',
        originator: 'codex_cli_rs',
        cli_version: '0.45.0',
      },
    }),
    record: ({ role, text, tool, time, number }) => ({
      timestamp: time,
      type: 'response_item',
      payload: tool
        ? { type: 'function_call_output', call_id: `call_${number}`, output: tool }
        : {
            type: 'message',
            role,
            content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }],
          },
    }),
  },
  'agents/shop/sessions/{file}.jsonl': {
    first: ({ file, time }) => ({ type: 'session', version: 3, id: file, timestamp: time, cwd: '/srv/shop' }),
    record: ({ role, text, tool, time, number }) => ({
      type: 'message',
      id: `m${number}`,
      parentId: null,
      timestamp: time,
      message: { role: tool ? 'toolResult' : role, content: [{ type: 'text', text: tool ?? text }] },
    }),
  },
  'plain/{file}.jsonl': {
    record: ({ role, text, tool, time, file }) => ({
      role: tool ? 'tool' : role,
      content: tool ?? text,
      timestamp: time,
      session: file,
    }),
  },
  'logs/{file}.log': {
    line: ({ role, text, tool, time }) => `${time} [${role}] ${tool ? tool.replaceAll('\n', ' ') : text}`,
  },
};

/**
 * Writes a folder of logs in five formats, two listings for every three messages, of at least `bytes` in all.
 * Returns what was written: the files, their bytes, and the records in them.
 */
export function writeLogs(folder, { bytes, seed = 1, until }) {
  const random = seeded(seed);
  const shapes = Object.entries(SHAPES);
  const written = { files: [], bytes: 0, records: 0 };
  for (let count = 0; written.bytes < bytes; count++) {
    const [name, { first, record, line }] = shapes[count % shapes.length];
    const file = `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`;
    const path = join(folder, name.replace('{file}', file));
    mkdirSync(dirname(path), { recursive: true });
    const at = (number) => new Date(until - (count * 400 + 400 - number) * 1000).toISOString();
    const say = line ?? ((turn) => JSON.stringify(record(turn)));
    const lines = first ? [JSON.stringify(first({ file, time: at(0) }))] : [];
    for (let number = 1; number <= 300; number++) {
      lines.push(
        say({
          file,
          number,
          time: at(number),
          role: number % 2 ? 'user' : 'assistant',
          text: `${sentence(random)} ${sentence(random)} (note ${count}.${number})`,
          tool: number % 5 > 2 ? `${listing(random)}\n(call ${count}.${number})` : undefined,
        }),
      );
    }
    const text = `${lines.join('\n')}\n`;
    appendFileSync(path, text);
    written.files.push(path);
    written.bytes += Buffer.byteLength(text);
    written.records += 300;
  }
  return written;
}
