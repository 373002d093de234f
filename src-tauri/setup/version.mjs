// The one version of everything: it stands in Cargo.toml, and the other files that must name it follow.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { root } from './places.mjs';

/** The version that Cargo.toml states. */
export function version(text = readFileSync(join(root, 'Cargo.toml'), 'utf8')) {
  return /^\[workspace\.package\]\s*\nversion = "([^"]+)"/m.exec(text)?.[1];
}
