// Xvfb keeps its screen in a file, in the X window dump format. Reading it needs no screenshot program.

import { crc32 as crc, deflateSync } from 'node:zlib';

const HEADER_WORDS = 25;
const COLOUR_BYTES = 12;

/**
 * @param {Buffer} dump an X window dump, 32 bits per pixel
 * @returns {{width: number, height: number, rgb: Buffer}} 3 bytes per pixel, row by row
 */
export function readFramebuffer(dump) {
  const word = (index) => dump.readUInt32BE(index * 4);
  if (dump.length < HEADER_WORDS * 4 || word(1) !== 7) throw new Error('not an X window dump');
  const [headerSize, width, height] = [word(0), word(4), word(5)];
  const [lowestByteFirst, bitsPerPixel, bytesPerLine, colours] = [
    word(7) === 0,
    word(11),
    word(12),
    word(19),
  ];
  if (bitsPerPixel !== 32) throw new Error(`${bitsPerPixel} bits per pixel instead of 32`);
  const start = headerSize + colours * COLOUR_BYTES;
  if (dump.length < start + bytesPerLine * height) throw new Error('the X window dump is cut off');
  const rgb = Buffer.alloc(width * height * 3);
  const [red, green, blue] = lowestByteFirst ? [2, 1, 0] : [1, 2, 3];
  for (let y = 0, to = 0; y < height; y++) {
    for (let from = start + y * bytesPerLine, end = from + width * 4; from < end; from += 4, to += 3) {
      rgb[to] = dump[from + red];
      rgb[to + 1] = dump[from + green];
      rgb[to + 2] = dump[from + blue];
    }
  }
  return { width, height, rgb };
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(checksum(body));
  return Buffer.concat([length, body, sum]);
}

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

// zlib.crc32 came with Node 20.15; older 20s do without.
const checksum =
  crc ??
  ((bytes) => {
    let value = 0xffffffff;
    for (const byte of bytes) value = TABLE[(value ^ byte) & 0xff] ^ (value >>> 8);
    return (value ^ 0xffffffff) >>> 0;
  });

/** An 8-bit RGB PNG. */
export function encodePng({ width, height, rgb }) {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const row = width * 3;
  const raw = Buffer.alloc((row + 1) * height);
  for (let y = 0; y < height; y++) rgb.copy(raw, y * (row + 1) + 1, y * row, (y + 1) * row);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(raw)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
