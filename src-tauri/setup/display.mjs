// A display in memory (Xvfb), for a window where nobody sits in front of it. Every display has a cookie of its own,
// so that other people on the same machine cannot look at it.

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { output } from './command.mjs';
import { Failure } from './failure.mjs';
import { encodePng, readFramebuffer } from './framebuffer.mjs';

const START_MS = 15_000;

/** An Xauthority file with one cookie that is good for every display number. */
function authority(cookie) {
  const field = (bytes) => {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(bytes.length);
    return Buffer.concat([length, bytes]);
  };
  const anyHost = Buffer.from([0xff, 0xff]);
  const none = Buffer.alloc(0);
  return Buffer.concat([
    anyHost,
    field(none),
    field(none),
    field(Buffer.from('MIT-MAGIC-COOKIE-1')),
    field(cookie),
  ]);
}

/** Whether a window can be opened on the display that is there. */
export function hasDisplay() {
  return process.platform !== 'linux' || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
}

/**
 * Starts a display.
 *
 * @returns `env` for programs that open windows on it, `screen` its file, `picture(path)` writes what it shows as PNG, `stop()` ends it
 */
export async function startDisplay({ width = 1440, height = 900 } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'lethescope-display-'));
  const cookies = join(folder, 'cookies');
  writeFileSync(cookies, authority(randomBytes(16)), { mode: 0o600 });
  const server = spawn(
    'Xvfb',
    [
      '-displayfd',
      '3',
      '-screen',
      '0',
      `${width}x${height}x24`,
      '-fbdir',
      folder,
      '-auth',
      cookies,
      '-nolisten',
      'tcp',
      '-noreset',
    ],
    { stdio: ['ignore', 'ignore', 'pipe', 'pipe'] },
  );
  const stop = () => {
    process.off('exit', stop);
    server.kill();
    rmSync(folder, { recursive: true, force: true });
  };
  process.on('exit', stop);

  let words = '';
  server.stderr.on('data', (data) => {
    words = (words + data).slice(-2000);
  });
  const number = await new Promise((resolve, reject) => {
    const fail = (why) =>
      reject(
        new Failure(
          `Xvfb ${why}`,
          `Install it (Debian, Ubuntu: \`apt-get install xvfb\`). It said: ${words.trim() || 'nothing'}`,
        ),
      );
    const timer = setTimeout(() => fail('did not start in time'), START_MS);
    server.on('error', (error) => fail(`could not be started (${error.code})`));
    server.on('exit', (code) => fail(`ended with code ${code}`));
    let digits = '';
    server.stdio[3].on('data', (data) => {
      digits += data;
      if (!digits.includes('\n')) return;
      clearTimeout(timer);
      resolve(digits.trim());
    });
  }).catch((error) => {
    stop();
    throw error;
  });

  const screen = join(folder, 'Xvfb_screen0');
  return {
    env: {
      DISPLAY: `:${number}`,
      XAUTHORITY: cookies,
      GDK_BACKEND: 'x11',
      // There is no graphics card behind this display; asking for one only costs time.
      WEBKIT_DISABLE_DMABUF_RENDERER: '1',
      LIBGL_ALWAYS_SOFTWARE: '1',
    },
    screen,
    picture: (path) => writeFileSync(path, encodePng(readFramebuffer(readFileSync(screen)))),
    stop,
  };
}

/** A call that runs inside a session bus of its own, when there is one to be had. */
export function onOwnBus([name, args]) {
  const bus = output('dbus-run-session', ['--version']) !== undefined;
  return bus ? ['dbus-run-session', ['--', name, ...args]] : [name, args];
}
