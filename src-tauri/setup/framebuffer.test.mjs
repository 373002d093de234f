import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inflateSync } from 'node:zlib';

import { encodePng, readFramebuffer } from './framebuffer.mjs';

/** A dump of 2 × 1 pixels, with one colour table entry and padding at the line's end. */
function dump({ lowestByteFirst }) {
  const head = Buffer.alloc(104);
  const words = [104, 7, 2, 24, 2, 1, 0, lowestByteFirst ? 0 : 1, 32, 0, 32, 32, 12, 0, 0, 0, 0, 8, 256, 1];
  for (const [index, word] of words.entries()) head.writeUInt32BE(word, index * 4);
  const pixels = lowestByteFirst
    ? [3, 2, 1, 0, 30, 20, 10, 0, 9, 9, 9, 9]
    : [0, 1, 2, 3, 0, 10, 20, 30, 9, 9, 9, 9];
  return Buffer.concat([head, Buffer.alloc(12, 7), Buffer.from(pixels)]);
}

test('pixels come out as red, green, blue in both byte orders', () => {
  for (const lowestByteFirst of [true, false]) {
    const { width, height, rgb } = readFramebuffer(dump({ lowestByteFirst }));
    assert.deepEqual([width, height, [...rgb]], [2, 1, [1, 2, 3, 10, 20, 30]]);
  }
});

test('anything else is refused', () => {
  assert.throws(() => readFramebuffer(Buffer.from('PNG')), /not an X window dump/);
  assert.throws(() => readFramebuffer(dump({ lowestByteFirst: true }).subarray(0, 120)), /cut off/);
});

test('the PNG holds the same pixels and right checksums', () => {
  const png = encodePng({ width: 2, height: 1, rgb: Buffer.from([1, 2, 3, 10, 20, 30]) });
  assert.equal(png.subarray(1, 4).toString(), 'PNG');
  // The checksum of an empty IEND chunk is the same in every PNG.
  assert.equal(png.subarray(-4).toString('hex'), 'ae426082');
  const length = png.readUInt32BE(33);
  assert.equal(png.subarray(37, 41).toString(), 'IDAT');
  assert.deepEqual([...inflateSync(png.subarray(41, 41 + length))], [0, 1, 2, 3, 10, 20, 30]);
});
