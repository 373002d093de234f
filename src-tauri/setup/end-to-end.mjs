// Drives the real window: tauri-driver and WebKitWebDriver on a display in memory, specs in tests/e2e.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { ensureTool } from './cargo-tools.mjs';
import { run } from './command.mjs';
import { onOwnBus, startDisplay } from './display.mjs';
import { Skipped } from './failure.mjs';
import { demoFolder, modelFolder, root, screens } from './places.mjs';
import { built } from './prepare.mjs';

const FOLDER = join(root, 'tests', 'e2e');

/** Runs node files of tests/e2e with everything they need in the environment. */
export async function inWindow(step, args) {
  if (process.platform !== 'linux') return new Skipped('the window can be driven on Linux only');
  const driver = await ensureTool('tauri-driver', step);
  // LETHESCOPE_E2E_DISPLAY=own shows the window on the screen of whoever watches.
  const display = process.env.LETHESCOPE_E2E_DISPLAY === 'own' ? undefined : await startDisplay();
  try {
    await run(onOwnBus([process.execPath, args]), step, {
      echo: true,
      env: {
        ...display?.env,
        E2E_DRIVER: driver,
        E2E_DESKTOP: built('lethescope-desktop'),
        E2E_CLI: built('lethescope'),
        E2E_MODEL: modelFolder,
        E2E_DEMO: demoFolder,
        E2E_SCREENS: screens,
        E2E_FRAMEBUFFER: display?.screen ?? '',
      },
      advice:
        'One spec: `npm run e2e -- <name>`. Pictures of the window are in tests/screens, what it logged beside them.',
    });
  } finally {
    display?.stop();
  }
  return undefined;
}

/** All specs, or those whose name contains `part`; one after the other, since each has a window of its own. */
export function endToEnd(step, part = '') {
  const specs = readdirSync(FOLDER)
    .filter((name) => name.endsWith('.spec.mjs') && name.includes(part))
    .sort();
  return inWindow(step, [
    '--test',
    '--test-concurrency=1',
    // A window that hangs must not hang everything.
    '--test-timeout=300000',
    '--test-reporter=spec',
    ...specs.map((name) => join(FOLDER, name)),
  ]);
}
