// Where things lie. Everything that set-up makes is below `.local`, which git ignores:
// deleting that folder (and `node_modules`, `target`, `ui/dist`) takes set-up back completely.

import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = resolve(fileURLToPath(new URL('../..', import.meta.url)));
export const local = join(root, '.local');
export const logs = join(local, 'logs');
export const stamps = join(local, 'stamps');
export const tools = join(local, 'tools');
export const modelFolder = join(local, 'model');

/** The demo memory's logs; named to the programs, since cargo's target folder may lie anywhere. */
export const demoFolder = join(root, 'src-tauri', 'demo');
export const screens = join(root, 'tests', 'screens');

const exe = process.platform === 'win32' ? '.exe' : '';

/** The file name of a program on this system. */
export const program = (name) => name + exe;

/** A path as a person reads it: relative to the project when it lies inside. */
export const shown = (path) => (path.startsWith(root) ? path.slice(root.length + 1) || '.' : path);
