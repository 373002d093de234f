// Programs that only developers need, installed below `.local/tools` and nowhere else.

import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { output, run } from './command.mjs';
import { program, tools } from './places.mjs';
import { isDone, markDone } from './stamp.mjs';

// Exact versions: what a check says must not change between two runs.
const VERSIONS = { 'tauri-driver': '2.1.0', 'cargo-deny': '0.20.2', 'cargo-machete': '0.9.2' };

const installed = (name) => join(tools, 'bin', program(name));

/** The tool's path when it is installed here or on the PATH, else `undefined`. */
export function findTool(name) {
  if (isDone(name, VERSIONS[name]) && existsSync(installed(name))) return installed(name);
  return output(name, ['--version']) === undefined ? undefined : name;
}

/** Builds the tool once. */
export async function ensureTool(name, step) {
  if (isDone(name, VERSIONS[name]) && existsSync(installed(name))) return installed(name);
  step.say(`installing ${name} ${VERSIONS[name]}`);
  await run(
    ['cargo', ['install', name, '--version', VERSIONS[name], '--locked', '--force', '--root', tools]],
    step,
    {
      env: { CARGO_TARGET_DIR: join(tools, 'build') },
      advice: 'Check the network or the proxy, then run the command again.',
    },
  );
  markDone(name, VERSIONS[name]);
  return installed(name);
}
