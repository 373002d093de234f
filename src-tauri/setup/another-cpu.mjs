// The same answers on another processor: the embedder's fixed texts, and the guided queries of the demo, asked once on
// this processor and once on an emulated older one, of one vault that this one made.
//
// Haswell (2013) has the widest instructions that every desktop processor since has, and none of those that newer ones
// multiply bytes with. What has no such instructions at all is measured by hand: see docs/figures.md.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { output, run } from './command.mjs';
import { Failure, Skipped } from './failure.mjs';
import { demoFolder, modelFolder } from './places.mjs';
import { built, EVERYTHING } from './prepare.mjs';

const EMULATOR = 'qemu-x86_64';
const OLDER = ['-cpu', 'Haswell'];

/** Scores of one query may differ by what a few seconds of age and the last bits of a cosine make. */
const SCORE_TOLERANCE = 1e-5;

/** The test program of the crate `models`, which cargo has built already. */
function modelTests() {
  const args = ['test', '--locked', '--no-run', '--message-format', 'json', ...EVERYTHING];
  const lines = (output('cargo', args, { maxBuffer: 256 << 20 }) ?? '').split('\n');
  return lines
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
    .find(({ target, executable }) => executable && target?.name === 'models' && target.kind.includes('test'))
    ?.executable;
}

/** What is compared of an answer: which memories, in which order, with which scores. */
const listed = (text) => JSON.parse(text).results.map(({ id, score }) => ({ id, score }));

/** Why two lists are not the same; `undefined` when they are. */
export function difference(here, there) {
  const ids = (list) => list.map(({ id }) => id).join(' ');
  if (ids(here) !== ids(there)) return `${ids(here)} here, ${ids(there)} there`;
  const at = here.findIndex(({ score }, index) => Math.abs(score - there[index].score) > SCORE_TOLERANCE);
  return at < 0 ? undefined : `${here[at].id} scores ${here[at].score} here, ${there[at].score} there`;
}

/** Runs both; a folder of its own is made and removed. */
export async function anotherCpu(step) {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return new Skipped('emulated on Linux on x86-64 only');
  }
  if (output(EMULATOR, ['--version']) === undefined) return new Skipped(`${EMULATOR} is not installed`);
  const env = { LETHESCOPE_MODEL_DIR: modelFolder, LETHESCOPE_DEMO_DIR: demoFolder };

  step.note('the recorded vectors');
  const tests = modelTests();
  if (!tests) throw new Failure('the tests of the crate models were not found', 'Run `npm test` as a whole.');
  await run([EMULATOR, [...OLDER, tests, 'recorded']], step, {
    env: { ...env, LETHESCOPE_REQUIRE_MODEL: '1' },
    advice: 'The vectors depend on the processor: see build_model.py, `quantise`.',
  });

  const folder = mkdtempSync(join(tmpdir(), 'lethescope-processor-'));
  try {
    const passphrase = join(folder, 'passphrase');
    writeFileSync(passphrase, 'an invented passphrase for a demo\n', { mode: 0o600 });
    const vault = ['--vault', join(folder, 'vault'), '--passphrase-file', passphrase, '--json'];
    const program = built('lethescope');
    await run([program, ['init', '--demo', ...vault]], step, { env, advice: 'Run it by hand.' });
    const queries = JSON.parse(readFileSync(join(demoFolder, 'guide.json'), 'utf8')).map(
      ({ query }) => query,
    );
    for (const query of queries) {
      step.note(query);
      const args = ['query', query, '--now', '2026-06-01T00:00:00Z', ...vault];
      const ask = (name, before) =>
        output(name, [...before, ...args], { env: { ...process.env, ...env }, maxBuffer: 64 << 20 });
      const [here, there] = [ask(program, []), ask(EMULATOR, [...OLDER, program])];
      if (!here || !there) throw new Failure(`"${query}" was not answered`, 'Ask it by hand.');
      const differs = difference(listed(here), listed(there));
      if (differs) {
        throw new Failure(
          `another processor answers "${query}" otherwise: ${differs}`,
          'The step that differs is in the two traces.',
        );
      }
    }
    return `${queries.length} guided queries, the same lists`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
