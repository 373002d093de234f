// Invented logs of any length, the same for the same seed.

import { writeFileSync } from 'node:fs';

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
