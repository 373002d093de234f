// The set-up that every command shares, in order. Each step finds out by itself whether it is already done.

import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { npm, output, run } from './command.mjs';
import { Failure, Skipped } from './failure.mjs';
import { ensureLibraries } from './libraries.mjs';
import { setUpModel } from './model/model.mjs';
import { writeNotices } from './package/licences.mjs';
import { modelFolder, program, root } from './places.mjs';
import { contentHash, isDone, markDone } from './stamp.mjs';
import { checkToolchains, compilers, python } from './toolchains.mjs';

const OFFLINE_ADVICE = 'Check the network or the proxy, then run the command again; what is done stays done.';

/** JavaScript packages, exactly as locked. */
async function installPackages(step) {
  const hash = contentHash(['package.json', 'package-lock.json', 'ui/package.json']);
  if (isDone('packages', hash) && existsSync(join(root, 'node_modules'))) return 'up to date';
  step.note('npm ci');
  // No package of ours needs to run a script when it is installed, so none may.
  const call = npm('ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=warn');
  await run(call, step, { advice: OFFLINE_ADVICE });
  markDone('packages', hash);
  return 'installed';
}

/** The local models. Without them everything works but meaning and words that are alike. */
async function installModel(step, required) {
  // The package's resource list names the folder, so it must exist even when it stays empty.
  mkdirSync(modelFolder, { recursive: true });
  const result = await setUpModel({
    root,
    log: (line) => {
      step.log(line);
      step.note(line.replace(/^model: /, ''));
    },
  });
  if (result.ok) return result.skipped ? 'up to date' : 'built and verified';
  if (result.detail) step.log(result.detail);
  if (required) throw new Failure(result.reason, result.advice);
  return new Skipped(`${result.reason}; the window opens with keyword search only. ${result.advice}`);
}

/** The licences of what is shipped. Whoever only builds and tests can do without them; a package cannot. */
async function collectLicences(required) {
  try {
    return writeNotices();
  } catch (error) {
    if (required || !(error instanceof Failure)) throw error;
    return new Skipped(`${error.message}; \`lethescope about --licences\` will find none`);
  }
}

// The book is taken into the page.
const PAGE = ['ui', 'package-lock.json', 'docs', 'ARCHITECTURE.md', 'SECURITY.md', '.github/screenshots'];

/** The window's page. */
async function buildPage(step) {
  const hash = contentHash(PAGE);
  if (isDone('page', hash) && existsSync(join(root, 'ui/dist/index.html'))) return 'up to date';
  step.note('vite build');
  await run(npm('run', 'build', '--workspace', 'ui'), step, {
    advice: 'The page does not build. If you changed `ui`, the log names file and line.',
  });
  markDone('page', hash);
  return 'built';
}

// The desktop serves the page from inside the program; without this feature it would ask a development server.
export const FEATURES = ['--features', 'desktop/custom-protocol'];

// One feature set for everything, so that no dependency is compiled twice: cargo unites the features of all that is
// selected, and those of the tests' own dependencies as soon as a test *or an example* may be among it. There are no
// examples; naming them makes `npm start` share every compiled crate with `npm test` at no cost.
export const EVERYTHING = ['--workspace', '--lib', '--bins', '--tests', ...FEATURES];
const PROGRAMS = ['--workspace', '--bins', '--examples', ...FEATURES];

/** Both programs, in the `dev` profile: Cargo.toml optimises there what lies on the path of a query. */
async function buildPrograms(step, selection) {
  step.note('asking cargo what is left to build');
  const began = Date.now();
  await run(['cargo', ['build', '--locked', ...selection]], step, {
    advice:
      'The log names the crate. A library that is not found is a system package: see docs/troubleshooting.md.',
  });
  return Date.now() - began < 5000 ? 'up to date' : 'built';
}

/** Where cargo puts what it builds. */
export function targetFolder() {
  const metadata = output('cargo', ['metadata', '--no-deps', '--format-version', '1'], {
    cwd: root,
    maxBuffer: 64 << 20,
  });
  return metadata ? JSON.parse(metadata).target_directory : join(root, 'target');
}

/** The built program of that name. */
export const built = (name) => join(targetFolder(), 'debug', program(name));

/**
 * Runs the whole set-up.
 *
 * @param {import('./steps.mjs').Steps} steps
 * @param {object} wants
 *   `window`: a window will be opened without a display; `test`: end-to-end tests will run, the model is required;
 *   `model`: the model is required; `licences`: those of what is shipped are required;
 *   `build`: `programs` (the default), `everything` (tests too) or `nothing`
 */
export async function prepare(
  steps,
  { window = false, test = false, model = test, licences = false, build = 'programs' } = {},
) {
  await steps.run('toolchains', () => checkToolchains(compilers));
  await steps.run('system packages', (step) => ensureLibraries(step, { window, test }));
  await steps.run('python', () => checkToolchains(python));
  await steps.run('javascript packages', installPackages);
  await steps.run('model', (step) => installModel(step, model));
  await steps.run('licences', () => collectLicences(licences));
  await steps.run('page', buildPage);
  if (build !== 'nothing') {
    await steps.run('programs', (step) =>
      buildPrograms(step, build === 'everything' ? EVERYTHING : PROGRAMS),
    );
  }
}
