// Looks for a secret in everything that a program left behind.

import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

function* files(path) {
  if (!existsSync(path)) return;
  const stat = lstatSync(path);
  if (stat.isFile()) yield path;
  if (!stat.isDirectory()) return;
  for (const name of readdirSync(path)) yield* files(join(path, name));
}

const encodings = (word) => {
  const little = Buffer.from(word, 'utf16le');
  const big = Buffer.from(little).swap16();
  return { 'UTF-8': Buffer.from(word), 'UTF-16LE': little, 'UTF-16BE': big };
};

/**
 * @param {string} word the secret
 * @param {string[]} places files and folders to search, names of files included
 * @returns {{searched: number, found: string[]}} how many files were read, and where the secret was
 */
export function search(word, places) {
  const wanted = Object.entries(encodings(word));
  const found = [];
  let searched = 0;
  for (const path of places.flatMap((place) => [...files(place)])) {
    searched += 1;
    if (path.includes(word)) found.push(`${path} (name)`);
    const bytes = readFileSync(path);
    for (const [encoding, needle] of wanted) if (bytes.includes(needle)) found.push(`${path} (${encoding})`);
  }
  return { searched, found };
}
