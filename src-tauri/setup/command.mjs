// Runs other programs: output into the step's log, no standard input, the end of the output in the failure.

import { spawn, spawnSync } from 'node:child_process';

import { Failure } from './failure.mjs';
import { root } from './places.mjs';

const TAIL_LINES = 20;

// Cargo redraws its progress bar in place; read as lines it tells how far the build is.
const CARGO_PROGRESS = /^\s*Building \[[^\]]*\]\s+(\d+)\/(\d+)/;

/** Whether a program can be started, and what it prints. `undefined` when it is not there. */
export function output(name, args, options = {}) {
  const result = spawnSync(name, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], ...options });
  return result.error || result.status !== 0 ? undefined : `${result.stdout}`.trim();
}

/** The program and arguments that run npm. Under `npm run` the very npm that started us is used. */
export function npm(...args) {
  const cli = process.env.npm_execpath;
  if (cli?.endsWith('npm-cli.js')) return [process.execPath, [cli, ...args]];
  return [process.platform === 'win32' ? 'npm.cmd' : 'npm', args];
}

/**
 * Runs a program to its end.
 *
 * @param {[string, string[]]} call program and arguments
 * @param {object} step the running step (see steps.mjs)
 * @param {object} options
 *   `env` is added to ours, `cwd` is the project's root, `advice` goes into the failure,
 *   `echo` shows the output as well as logging it (test runners: their lines are the result)
 * @returns {Promise<string[]>} the last lines of the output
 */
export function run([name, args], step, { env = {}, cwd = root, advice, echo = false } = {}) {
  // A person knows it as npm, whatever path it was started from.
  const shown = args[0]?.endsWith('npm-cli.js') ? ['npm', ...args.slice(1)] : [name, ...args];
  const line = shown.join(' ');
  step.log(`$ ${line}`);
  return new Promise((resolve, reject) => {
    const child = spawn(name, args, {
      cwd,
      env: {
        ...process.env,
        NO_COLOR: '1',
        // ONNX Runtime would report to its vendor, from the programs that build the model and from tests.
        ORT_DISABLE_TELEMETRY: '1',
        CARGO_TERM_COLOR: 'never',
        CARGO_TERM_PROGRESS_WHEN: 'always',
        CARGO_TERM_PROGRESS_WIDTH: '80',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32' && name.endsWith('.cmd'),
    });
    const tail = [];
    const take = (text) => {
      const progress = CARGO_PROGRESS.exec(text);
      if (progress) return step.note(`${progress[1]} of ${progress[2]} parts built`);
      step.log(text);
      if (echo) process.stdout.write(`${text}\n`);
      // A stack says where a tool stumbled, not over what.
      if (text.trim() && !/^\s+at /.test(text)) tail.push(text);
      if (tail.length > TAIL_LINES) tail.shift();
    };
    for (const stream of [child.stdout, child.stderr]) {
      let rest = '';
      stream.setEncoding('utf8');
      stream.on('data', (chunk) => {
        const lines = (rest + chunk).split(/\r?\n|\r/);
        rest = lines.pop();
        lines.forEach(take);
      });
      stream.on('end', () => rest && take(rest));
    }
    child.on('error', (error) =>
      reject(new Failure(`${name} could not be started (${error.code})`, advice ?? `Install ${name}.`)),
    );
    child.on('close', (code, signal) => {
      if (code === 0) return resolve(tail);
      const how = signal ? `was ended by ${signal}` : `ended with code ${code}`;
      reject(
        new Failure(
          `\`${line}\` ${how}`,
          advice ?? 'Read the log; then run the command again.',
          echo ? [] : tail,
        ),
      );
    });
  });
}
