import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { search } from './canary.mjs';

test('a planted word is found in every encoding and in names, and nowhere else', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lethescope-canary-'));
  try {
    mkdirSync(join(folder, 'deep'));
    writeFileSync(join(folder, 'deep', 'a'), Buffer.concat([Buffer.alloc(3, 1), Buffer.from('Quokka7')]));
    writeFileSync(join(folder, 'b'), Buffer.from('Quokka7', 'utf16le'));
    writeFileSync(join(folder, 'c'), Buffer.from('Quokka7', 'utf16le').swap16());
    writeFileSync(join(folder, 'Quokka7.log'), '');
    writeFileSync(join(folder, 'clean'), 'Quokka');
    const { searched, found } = search('Quokka7', [folder, join(folder, 'missing')]);
    assert.equal(searched, 5);
    assert.deepEqual(found.map((line) => line.slice(folder.length + 1)).sort(), [
      'Quokka7.log (name)',
      'b (UTF-16LE)',
      'c (UTF-16BE)',
      'deep/a (UTF-8)',
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
