// `npm start`: sets everything up, builds, opens the window. What is done already is skipped.
// `npm start -- --headless` takes the tour even where there is a display.

import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';

import { hasDisplay } from './display.mjs';
import { Failure } from './failure.mjs';
import { demoFolder, logs, modelFolder, shown } from './places.mjs';
import { built, prepare } from './prepare.mjs';
import { main, Steps } from './steps.mjs';
import { tour } from './tour.mjs';

/** Stays until the window is closed, so that Ctrl+C in the terminal closes it too. */
function openWindow() {
  mkdirSync(logs, { recursive: true });
  const log = join(logs, 'window.log');
  const file = openSync(log, 'w');
  console.log(`\nThe window is opening. Close it, or press Ctrl+C here, to end. Log: ${shown(log)}`);
  return new Promise((resolve, reject) => {
    const child = spawn(built('lethescope-desktop'), [], {
      env: { LETHESCOPE_MODEL_DIR: modelFolder, LETHESCOPE_DEMO_DIR: demoFolder, ...process.env },
      stdio: ['ignore', file, file],
    });
    child.on('error', (error) =>
      reject(new Failure(`the window could not be opened (${error.code})`, `Read ${shown(log)}.`)),
    );
    child.on('close', (code, signal) => {
      closeSync(file);
      if (code === 0 || signal === 'SIGINT' || signal === 'SIGTERM') return resolve(0);
      reject(
        new Failure(
          `the window ended with ${signal ?? `code ${code}`}`,
          `Read ${shown(log)}; \`LETHESCOPE_LOG=debug npm start\` makes it say more.`,
        ),
      );
    });
  });
}

await main(async () => {
  const unknown = process.argv.slice(2).filter((argument) => argument !== '--headless');
  if (unknown.length) {
    throw new Failure(`unknown argument ${unknown.join(' ')}`, 'usage: npm start [-- --headless]');
  }
  const headless = process.argv.includes('--headless') || !hasDisplay();
  if (headless) console.log('No display here: the same window will run in memory, on the demo memory.\n');
  const steps = new Steps('start');
  await prepare(steps, { window: headless });
  if (!headless) return openWindow();
  const { picture, table } = await steps.run('tour', tour);
  console.log(`\n${table}\n\nPicture of the X-ray: ${picture}`);
  return 0;
});
