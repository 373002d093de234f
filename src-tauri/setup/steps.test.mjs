import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { run } from './command.mjs';
import { Failure, Skipped } from './failure.mjs';
import { logs } from './places.mjs';
import { duration, Steps } from './steps.mjs';

const log = (name) => join(logs, `selftest-${name}.log`);
after(() => {
  for (const name of ['first', 'second', 'third', 'program']) rmSync(log(name), { force: true });
});

function recorded() {
  const lines = [];
  return [new Steps('selftest', { write: (line) => lines.push(line) }), () => lines.join('\n')];
}

test('durations read like speech', () => {
  assert.deepEqual([0, 1234, 42_000, 725_000].map(duration), ['0.0 s', '1.2 s', '42 s', '12 min 05 s']);
});

test('a failure names what failed, the log and what to do; the next step still runs', async () => {
  const [steps, text] = recorded();
  await steps.attempt('first', (step) => {
    step.log('a detail');
    throw new Failure('the disk is full', 'Free some space.', ['No space left']);
  });
  await steps.attempt('second', () => 'fine');
  await steps.attempt('third', () => new Skipped('not on this system'));
  assert.equal(steps.summary(), 1);
  for (const part of [
    'what failed: the disk is full',
    '| No space left',
    'selftest-first.log',
    'what to do:  Free some space.',
    'skip  third: not on this system',
  ]) {
    assert.ok(text().includes(part), `${part} is missing in\n${text()}`);
  }
  assert.match(text(), /^steps: 1 passed, 1 failed, 1 skipped$/m);
  assert.match(readFileSync(log('first'), 'utf8'), /a detail/);
});

test('all well gives exit code 0', async () => {
  const [steps] = recorded();
  await steps.run('first', () => '');
  assert.equal(steps.summary(), 0);
});

test('a program that fails is a failure with the end of its output', async () => {
  const [steps] = recorded();
  const script = 'console.log("before"); console.error("the reason"); process.exit(3)';
  await assert.rejects(
    steps.run('program', (step) => run([process.execPath, ['-e', script]], step, { advice: 'Mend it.' })),
    (error) => {
      assert.match(error.message, /ended with code 3/);
      assert.equal(error.advice, 'Mend it.');
      assert.ok(error.tail.includes('the reason'));
      return true;
    },
  );
});

test('a program that is not there is a failure that says so', async () => {
  const [steps] = recorded();
  await assert.rejects(
    steps.run('program', (step) => run(['no-such-program-here', []], step)),
    /no-such-program-here could not be started/,
  );
});
