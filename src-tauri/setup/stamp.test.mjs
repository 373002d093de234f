import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';

import { contentHash, isDone, markDone } from './stamp.mjs';

let folder;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lethescope-stamp-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const put = (path, text) => {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), text);
};

test('a stamp counts for its own input only, and leaves no temporary file', () => {
  const stamps = join(folder, 'stamps');
  assert.equal(isDone('page', 'a', stamps), false);
  markDone('page', 'a', stamps);
  assert.equal(isDone('page', 'a', stamps), true);
  assert.equal(isDone('page', 'b', stamps), false);
  assert.deepEqual(readdirSync(stamps), ['page']);
});

test('the hash sees changed bytes, new files and renames', () => {
  put('ui/a.ts', 'one');
  const hashes = [contentHash(['ui'], folder)];
  put('ui/a.ts', 'two');
  hashes.push(contentHash(['ui'], folder));
  put('ui/b.ts', '');
  hashes.push(contentHash(['ui'], folder));
  rmSync(join(folder, 'ui/b.ts'));
  put('ui/c.ts', '');
  hashes.push(contentHash(['ui'], folder));
  assert.equal(new Set(hashes).size, hashes.length);
});

test('moving bytes from one file to the next changes the hash', () => {
  put('ui/a', 'xy');
  put('ui/b', 'z');
  const before = contentHash(['ui'], folder);
  put('ui/a', 'x');
  put('ui/b', 'yz');
  assert.notEqual(contentHash(['ui'], folder), before);
});

test('what a build makes does not count as its input', () => {
  put('ui/a.ts', 'one');
  const before = contentHash(['ui', 'missing.json'], folder);
  put('ui/dist/index.html', 'built');
  put('ui/node_modules/x/index.js', 'installed');
  put('ui/tsconfig.tsbuildinfo', '{}');
  assert.equal(contentHash(['ui', 'missing.json'], folder), before);
});
