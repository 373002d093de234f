import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Failure } from './failure.mjs';
import { family } from './libraries.mjs';
import { atLeast, checkToolchains } from './toolchains.mjs';

test('versions compare by number, not by letter', () => {
  assert.ok(atLeast('1.100.0', [1, 92]));
  assert.ok(atLeast('1.92.0', [1, 92]));
  assert.ok(atLeast('2.0.0', [1, 92]));
  assert.ok(!atLeast('1.9.9', [1, 92]));
  assert.ok(!atLeast('0.99.0', [1, 92]));
});

test('everything that is wrong is named at once', () => {
  const fake = (name, version) => ({
    name,
    least: [3, 11],
    find: () => version,
    advice: { missing: `get ${name}`, old: `renew ${name}` },
  });
  assert.throws(
    () => checkToolchains([fake('A', undefined), fake('B', '3.9.1'), fake('C', '3.12.0')]),
    (error) => {
      assert.ok(error instanceof Failure);
      assert.equal(error.message, 'A 3.11 or newer is missing; B 3.9.1 is older than 3.11');
      assert.equal(error.advice, 'get A\nrenew B');
      return true;
    },
  );
  assert.equal(checkToolchains([fake('C', '3.12.0')]), 'C 3.12.0');
});

test('systems are told by os-release', () => {
  assert.equal(family('NAME="Debian"\nID=debian\n'), 'debian');
  assert.equal(family('ID=linuxmint\nID_LIKE="ubuntu debian"\n'), 'debian');
  assert.equal(family('ID="rocky"\nID_LIKE="rhel centos fedora"\n'), 'fedora');
  assert.equal(family('ID=manjaro\nID_LIKE=arch\n'), 'arch');
  assert.equal(family('ID=alpine\n'), undefined);
  assert.equal(family('VERSION_ID=debian\n'), undefined);
});
