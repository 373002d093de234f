import assert from 'node:assert/strict';
import { test } from 'node:test';

import { neededLibraries, newestGlibc } from './needs.mjs';

const DUMP = `
Dynamic Section:
  NEEDED               libgtk-3.so.0
  NEEDED               libc.so.6
  INIT                 0x000000000000c000

Version References:
  required from libc.so.6:
    0x09691a75 0x00 07 GLIBC_2.2.5
    0x069691b4 0x00 05 GLIBC_2.34
    0x06969189 0x00 12 GLIBC_2.9
`;

test('needed libraries are read by name', () => {
  assert.deepEqual(neededLibraries(DUMP), ['libgtk-3.so.0', 'libc.so.6']);
});

test('versions of the C library compare by number', () => {
  assert.equal(newestGlibc(DUMP), '2.34');
  assert.equal(newestGlibc('nothing'), undefined);
});
