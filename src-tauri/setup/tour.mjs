// The real window without a display: on the demo memory, one query, a picture of the X-ray, the stage table in the terminal.

import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { onOwnBus, startDisplay } from './display.mjs';
import { Failure } from './failure.mjs';
import { demoFolder, local, modelFolder } from './places.mjs';
import { built } from './prepare.mjs';

const READY = 'TOUR READY';
const PATIENCE_MS = 180_000;

/**
 * Runs the tour inside a step.
 *
 * @returns {Promise<{summary: string, picture: string, table: string}>}
 */
export async function tour(step) {
  const display = await startDisplay();
  // The demo memory lives in a folder of its own, so that the tour never touches anybody's vault.
  const data = mkdtempSync(join(tmpdir(), 'lethescope-tour-'));
  const picture = join(local, 'tour', 'xray.png');
  mkdirSync(join(local, 'tour'), { recursive: true });
  try {
    step.note('the window reads the demo memory and asks its first query');
    // The bus and what it starts write to standard output as well; the window gets a pipe of its own.
    const alone = ['sh', ['-c', 'exec "$0" >&3 3>&-', built('lethescope-desktop')]];
    const [name, args] = onOwnBus(alone);
    const table = await conversation(name, args, step, {
      env: {
        LETHESCOPE_MODEL_DIR: modelFolder,
        LETHESCOPE_DEMO_DIR: demoFolder,
        ...process.env,
        ...display.env,
        LETHESCOPE_TOUR: '1',
        LETHESCOPE_DATA_DIR: data,
      },
      whenReady: () => display.picture(picture),
    });
    return { summary: 'the window answered', picture, table };
  } finally {
    display.stop();
    rmSync(data, { recursive: true, force: true });
  }
}

/** Collects what the program says until it is ready, takes the picture, and lets it go by closing its input. */
function conversation(name, args, step, { env, whenReady }) {
  return new Promise((resolve, reject) => {
    const child = spawn(name, args, { env, stdio: ['pipe', 'ignore', 'pipe', 'pipe'] });
    const answers = child.stdio[3];
    const lines = [];
    let rest = '';
    let ready = false;
    let picture;
    const advice = 'Read the log. `LETHESCOPE_LOG=debug npm start` makes the window say more.';
    const timer = setTimeout(() => {
      child.kill();
      reject(new Failure(`the window was not ready after ${PATIENCE_MS / 1000} s`, advice, lines.slice(-10)));
    }, PATIENCE_MS);
    child.stdin.on('error', () => {});
    child.stderr.on('data', (data) => step.log(String(data)));
    answers.setEncoding('utf8');
    answers.on('data', (data) => {
      const parts = (rest + data).split('\n');
      rest = parts.pop();
      for (const line of parts) {
        step.log(line);
        if (line.trim() !== READY) {
          lines.push(line);
          continue;
        }
        ready = true;
        try {
          whenReady();
        } catch (error) {
          picture = error;
        }
        child.stdin.end();
      }
    });
    child.on('error', (error) => reject(new Failure(`${name} could not be started (${error.code})`, advice)));
    child.on('close', (code) => {
      clearTimeout(timer);
      if (picture) return reject(new Failure(`the picture could not be taken: ${picture.message}`, advice));
      if (ready && code === 0) return resolve(lines.join('\n').trim());
      reject(new Failure(`the window ended early (code ${code})`, advice, lines.slice(-10)));
    });
  });
}
