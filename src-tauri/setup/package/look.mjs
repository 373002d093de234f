// Runs inside of the bare system, as its ordinary user: the installed window on a display in memory, looked at by the
// spec of the planted miss. The program finds its model and its demo by itself.

import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';

import { onOwnBus, startDisplay } from '../display.mjs';
import { root } from '../places.mjs';

const [pictures] = process.argv.slice(2);
mkdirSync(pictures, { recursive: true });
const display = await startDisplay();
const spec = `${root}/tests/e2e/miss.spec.mjs`;
const [name, args] = onOwnBus([
  process.execPath,
  ['--test', '--test-timeout=300000', '--test-reporter=spec', spec],
]);
const { status } = spawnSync(name, args, {
  stdio: 'inherit',
  env: {
    ...process.env,
    ...display.env,
    E2E_DRIVER: `${root}/tauri-driver`,
    E2E_DESKTOP: '/usr/bin/lethescope-desktop',
    E2E_SCREENS: pictures,
    E2E_FRAMEBUFFER: display.screen,
  },
});
display.stop();
process.exitCode = status ?? 1;
