// The three prerequisites that set-up does not install: which version is there, and what to do when it is too old.

import { output } from './command.mjs';
import { Failure } from './failure.mjs';

/** `[1, 92]` ≤ `1.95.0`? */
export function atLeast(version, [major, minor]) {
  const [a, b] = version.split('.').map(Number);
  return a > major || (a === major && b >= minor);
}

const firstVersion = (text) => /\d+\.\d+(\.\d+)?/.exec(text ?? '')?.[0];

const RUST = {
  name: 'Rust',
  least: [1, 92],
  find: () => firstVersion(output('cargo', ['--version'])) && firstVersion(output('rustc', ['--version'])),
  advice: {
    missing: 'Install Rust from https://rustup.rs, open a new terminal, and run the command again.',
    old: 'Run `rustup update stable`, then the command again.',
  },
};

const NODE = {
  name: 'Node',
  least: [20, 19],
  find: () => process.versions.node,
  advice: {
    missing: '',
    old: 'Install Node 20.19 or newer from https://nodejs.org, then run the command again.',
  },
};

// Only set-up needs Python: it turns the published weights into the model file that the program loads.
const PYTHONS =
  process.platform === 'win32'
    ? [['py', '-3'], ['python'], ['python3']]
    : [['python3'], ['python3.13'], ['python3.12'], ['python3.11'], ['python']];

const PYTHON = {
  name: 'Python',
  least: [3, 11],
  find: () => {
    const versions = PYTHONS.map(([name, ...before]) =>
      firstVersion(output(name, [...before, '-c', 'import sys; print(sys.version.split()[0])'])),
    ).filter(Boolean);
    return versions.find((version) => atLeast(version, PYTHON.least)) ?? versions[0];
  },
  advice: {
    missing:
      'Install Python 3.11 or newer (Debian, Ubuntu: `apt-get install python3 python3-venv`), then run the command again.',
    old: 'Install Python 3.11, 3.12 or 3.13 beside it, so that for example `python3.12` is found; then run the command again.',
  },
};

// Python last and apart: on a bare Debian it comes with the system packages, which are installed in between.
export const compilers = [RUST, NODE];
export const python = [PYTHON];

/**
 * Checks toolchains and names everything that is wrong at once.
 *
 * @returns {string} the versions found
 */
export function checkToolchains(toolchains) {
  const wrong = [];
  const found = [];
  for (const { name, least, find, advice } of toolchains) {
    const version = find();
    const wanted = least.join('.');
    if (!version) wrong.push([`${name} ${wanted} or newer is missing`, advice.missing]);
    else if (!atLeast(version, least)) wrong.push([`${name} ${version} is older than ${wanted}`, advice.old]);
    else found.push(`${name} ${version}`);
  }
  if (wrong.length) {
    throw new Failure(wrong.map(([what]) => what).join('; '), wrong.map(([, todo]) => todo).join('\n'));
  }
  return found.join(', ');
}
