// `npm test`: the same set-up as `npm start`, then every check, with timings and a closing summary.
//   npm test -- --only clippy,end-to-end     some checks
//   npm test -- --list                       their names
// A failed check does not keep the others from running; a failed set-up does.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { anotherCpu } from './another-cpu.mjs';
import { findTool } from './cargo-tools.mjs';
import { npm, output, run } from './command.mjs';
import { endToEnd } from './end-to-end.mjs';
import { Failure, Skipped } from './failure.mjs';
import { root } from './places.mjs';
import { EVERYTHING, prepare } from './prepare.mjs';
import { main, Steps } from './steps.mjs';

const cargo = (...args) => ['cargo', args];

const SCRIPTS = ['src-tauri/setup', 'tests/e2e'];

/** The commands' and the end-to-end harness's own scripts: layout and lints, then their tests. */
async function scripts(step) {
  const config = 'src-tauri/setup/scripts.biome.json';
  await run(npm('exec', '--', 'biome', 'check', `--config-path=${config}`, ...SCRIPTS), step, {
    advice: `\`npx biome check --write --config-path=${config} ${SCRIPTS.join(' ')}\` mends the layout.`,
  });
  const files = SCRIPTS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true })
      .filter((name) => name.endsWith('.test.mjs'))
      .map((name) => join(root, folder, name)),
  );
  await run([process.execPath, ['--test', '--test-reporter=spec', ...files]], step, {
    echo: true,
    advice: 'Run one with `node --test <file>`.',
  });
}

/** nextest runs the tests of a crate in parallel processes; where it is missing, cargo's own runner does. */
async function rustTests(step) {
  const nextest = output('cargo', ['nextest', '--version']) !== undefined;
  const options = {
    echo: true,
    // The model was set up before; a test that skips for want of it would be a lie.
    env: { LETHESCOPE_REQUIRE_MODEL: '1' },
    advice: 'One test: `cargo test -p <crate> <name>`. A stale binding is rewritten by `npm run bindings`.',
  };
  const common = ['--locked', '--no-fail-fast', ...EVERYTHING];
  const runner = nextest ? ['nextest', 'run', '--no-tests=pass', ...common] : ['test', ...common];
  await run(cargo(...runner), step, options);
}

const optional = (name, args) => async (step) => {
  const tool = findTool(name);
  if (!tool) return new Skipped(`${name} is not installed (\`npm run deny\` installs it)`);
  await run([tool, args], step, {
    advice: 'The log names the dependency and the rule; rules are in deny.toml.',
  });
};

const CHECKS = {
  scripts,
  format: (step) =>
    run(cargo('fmt', '--all', '--check', '--', '--color', 'never'), step, {
      advice: 'Run `cargo fmt --all`.',
    }),
  clippy: (step) =>
    run(cargo('clippy', '--locked', ...EVERYTHING, '--', '-D', 'warnings'), step, {
      advice: 'The log names file and line.',
    }),
  'rust tests': rustTests,
  'another-cpu': anotherCpu,
  'page check': (step) =>
    run(npm('run', 'check', '--workspace', 'ui'), step, {
      advice: 'The log names file and line; `npm run format -w ui` mends the layout.',
    }),
  'page tests': (step) =>
    run(npm('run', 'test', '--workspace', 'ui'), step, {
      echo: true,
      advice: 'Run one with `npm test -w ui -- <file>`.',
    }),
  licences: optional('cargo-deny', ['--offline', 'check', 'bans', 'licenses', 'sources']),
  'unused crates': optional('cargo-machete', []),
  'end-to-end': endToEnd,
};

// What needs the Rust programs built; the rest starts without waiting for them.
const NEED_PROGRAMS = new Set(['clippy', 'rust tests', 'another-cpu', 'end-to-end']);

function chosen(args) {
  const at = args.indexOf('--only');
  if (at < 0) {
    if (args.length)
      throw new Failure(`unknown argument ${args.join(' ')}`, 'usage: npm test [-- --only NAME,… | --list]');
    return Object.keys(CHECKS);
  }
  const names = (args[at + 1] ?? '').split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !(name in CHECKS));
  if (unknown.length)
    throw new Failure(
      `no check is called ${unknown.join(', ')}`,
      `Checks: ${Object.keys(CHECKS).join(', ')}`,
    );
  return names;
}

await main(async () => {
  const args = process.argv.slice(2);
  if (args.includes('--list')) {
    console.log(Object.keys(CHECKS).join('\n'));
    return 0;
  }
  const names = chosen(args);
  const steps = new Steps('test');
  try {
    await prepare(steps, {
      test: true,
      build: names.some((name) => NEED_PROGRAMS.has(name)) ? 'everything' : 'nothing',
    });
    for (const name of names) {
      await steps.attempt(name, async (step) => {
        const outcome = await CHECKS[name](step);
        return outcome instanceof Skipped ? outcome : '';
      });
    }
  } catch (error) {
    if (!error.reported) throw error;
  }
  return steps.summary();
});
