// Remembers what was done for which input, so that a second run can skip it.
// A stamp is written after the work succeeded, under a temporary name first: half-done is never taken for done.

import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';

import { root, stamps } from './places.mjs';

const LEFT_OUT = new Set(['node_modules', 'dist', 'dist-fake']);

function* files(path) {
  if (!existsSync(path)) return;
  if (statSync(path).isFile()) return yield path;
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (LEFT_OUT.has(entry.name) || entry.name.endsWith('.tsbuildinfo')) continue;
    const child = join(path, entry.name);
    if (entry.isDirectory()) yield* files(child);
    else if (entry.isFile()) yield child;
  }
}

/** SHA-256 over the names and bytes of files and folders, independent of the order in which a folder lists them. */
export function contentHash(paths, base = root) {
  const hash = createHash('sha256');
  const all = paths.flatMap((path) => [...files(join(base, path))]).sort();
  for (const file of all) {
    const bytes = readFileSync(file);
    hash.update(`${relative(base, file)}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest('hex');
}

/** Whether `name` was done for exactly this input. */
export function isDone(name, hash, folder = stamps) {
  try {
    return readFileSync(join(folder, name), 'utf8').trim() === hash;
  } catch {
    return false;
  }
}

/** Records that `name` is done for this input. */
export function markDone(name, hash, folder = stamps) {
  mkdirSync(folder, { recursive: true });
  const temporary = join(folder, `.${name}.${process.pid}`);
  writeFileSync(temporary, `${hash}\n`);
  renameSync(temporary, join(folder, name));
}
