// `npm run bench -- --peers`: other search programs on the vectors, texts and queries of the same run. They live in a
// Python environment of their own in .local, which nothing else needs; deleting it takes them back.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { run } from '../command.mjs';
import { local, root } from '../places.mjs';

const here = join(root, 'src-tauri', 'setup', 'peers');
const venv = join(local, 'peers');
const python =
  process.platform === 'win32' ? join(venv, 'Scripts', 'python.exe') : join(venv, 'bin', 'python');

async function environment(step) {
  const wanted = readFileSync(join(here, 'requirements.txt'), 'utf8');
  const mark = join(venv, 'finished.txt');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return;
  rmSync(venv, { recursive: true, force: true });
  step.say('installing the other programs into .local/peers (about 550 MB)');
  await run([process.platform === 'win32' ? 'python' : 'python3', ['-m', 'venv', venv]], step, {
    advice: 'Install Python 3.11 or newer with its venv module.',
  });
  const pip = ['-m', 'pip', 'install', '--disable-pip-version-check', '--no-input', '--only-binary', ':all:'];
  await run([python, [...pip, '-r', join(here, 'requirements.txt')]], step, {
    advice: 'Run the command again when the Python package index can be reached.',
  });
  writeFileSync(mark, wanted);
}

/** Runs `bench(['--peers', FOLDER])`, then the peers on what it left in the folder. The data is invented. */
export async function peers(steps, bench) {
  await steps.run('peers, installed', environment);
  const folder = mkdtempSync(join(tmpdir(), 'lethescope-peers-'));
  try {
    await bench(['--peers', folder]);
    await steps.run('peers', (step) => run([python, [join(here, 'peers.py'), folder]], step, { echo: true }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
