// A window of the real program, as a person meets it: things are found by role and accessible name, as a screen
// reader finds them, so that no spec depends on markup or styles.
//
// Every window lives in folders of its own: data, home, caches, temporary files. Nothing of the person who runs the
// tests is read or written, and everything the program leaves behind can be searched.

import { spawn, spawnSync } from 'node:child_process';
import { createWriteStream, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { encodePng, readFramebuffer } from '../../src-tauri/setup/framebuffer.mjs';
import { Key, Session } from './webdriver.mjs';

const DRIVER_MS = 20_000;
const FIND_MS = 10_000;
const POLL_MS = 40;
const CLOSE_MS = 3_000;

const { E2E_CLI, E2E_DRIVER, E2E_DESKTOP, E2E_DEMO, E2E_MODEL, E2E_SCREENS, E2E_FRAMEBUFFER } = process.env;

const asset = (name) => readFileSync(new URL(`../../node_modules/${name}`, import.meta.url), 'utf8');
// Wrapped, since the page has no module system and must not notice a guest.
const QUERIES = `window.TestingLibraryDom = (() => {
  const exports = {};
  const module = { exports };
  ${asset('@testing-library/dom/dist/@testing-library/dom.umd.min.js')};
  return module.exports;
})();`;
const AXE = asset('axe-core/axe.min.js');

export const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Waits until `check` gives something, and returns it. */
export async function until(what, check, ms = FIND_MS) {
  const end = Date.now() + ms;
  let last;
  for (;;) {
    try {
      const value = await check();
      if (value) return value;
    } catch (error) {
      last = error;
    }
    if (Date.now() > end) throw new Error(`${what}: not within ${ms} ms${last ? ` (${last.message})` : ''}`);
    await wait(POLL_MS);
  }
}

/** Folders for one window. The watched logs lie outside, since they hold what they hold. */
export class Folders {
  constructor(name) {
    this.root = mkdtempSync(join(tmpdir(), `lethescope-e2e-${name}-`));
    const folder = (part, mode) => {
      const path = join(this.root, part);
      mkdirSync(path, { recursive: true, mode });
      return path;
    };
    this.data = folder('data');
    this.home = folder('home');
    this.temporary = folder('tmp');
    this.runtime = folder('run', 0o700);
    this.outside = mkdtempSync(join(tmpdir(), `lethescope-e2e-${name}-watched-`));
  }

  /** The command line on the vault in these folders: takes its words, gives the object that it printed. */
  commandLine(passphrase) {
    const file = join(this.root, 'passphrase');
    writeFileSync(file, passphrase, { mode: 0o600 });
    return (...args) => {
      const { status, stdout, stderr } = spawnSync(E2E_CLI, ['--passphrase-file', file, '--json', ...args], {
        encoding: 'utf8',
        env: { ...process.env, ...this.env },
      });
      if (status !== 0) throw new Error(`lethescope ${args[0]} ended with code ${status}: ${stderr}`);
      return JSON.parse(stdout);
    };
  }

  get env() {
    return {
      LETHESCOPE_DATA_DIR: this.data,
      LETHESCOPE_HOME: this.home,
      LETHESCOPE_MODEL_DIR: E2E_MODEL,
      LETHESCOPE_DEMO_DIR: E2E_DEMO,
      // Everything that the program can say about itself must be fit to be read.
      LETHESCOPE_LOG: 'debug,models::runtime=warn',
      HOME: this.home,
      TMPDIR: this.temporary,
      XDG_RUNTIME_DIR: this.runtime,
      XDG_DATA_HOME: join(this.home, '.local/share'),
      XDG_CACHE_HOME: join(this.home, '.cache'),
      XDG_CONFIG_HOME: join(this.home, '.config'),
    };
  }

  remove() {
    for (const path of [this.root, this.outside])
      rmSync(path, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Drivers whose windows are open; none may outlive the spec, however that ends. */
const running = new Set();

function signal(driver, name) {
  try {
    process.kill(-driver.pid, name);
  } catch {
    // All of the group is gone already.
  }
}

process.on('exit', () => {
  for (const driver of running) signal(driver, 'SIGKILL');
});
for (const name of ['SIGTERM', 'SIGINT']) process.once(name, () => process.exit(1));

export class Window {
  #driver;

  /** Opens the program. `name` names its log beside the pictures. */
  static async open(name, folders) {
    mkdirSync(E2E_SCREENS, { recursive: true });
    const window = new Window();
    window.log = join(E2E_SCREENS, `${name}.log`);
    const log = createWriteStream(window.log, { flags: 'a' });
    const [port, nativePort] = [await freePort(), await freePort()];
    window.#driver = spawn(E2E_DRIVER, ['--port', String(port), '--native-port', String(nativePort)], {
      env: { ...process.env, ...folders.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A process group of its own: the driver, WebKit's driver and the program end together.
      detached: true,
    });
    running.add(window.#driver);
    window.#driver.stdout.pipe(log);
    window.#driver.stderr.pipe(log);
    const url = `http://127.0.0.1:${port}`;
    try {
      await until('tauri-driver', () => fetch(`${url}/status`).then((reply) => reply.ok), DRIVER_MS);
      window.session = await Session.open(url, E2E_DESKTOP);
      await window.session.timeouts(120_000);
      await until(
        'the page',
        () => window.session.script(() => document.querySelector('#root')?.childElementCount > 0),
        DRIVER_MS,
      );
    } catch (error) {
      signal(window.#driver, 'SIGKILL');
      running.delete(window.#driver);
      throw error;
    }
    return window;
  }

  async close() {
    await this.session.close().catch(() => {});
    const driver = this.#driver;
    const gone = new Promise((resolve) => driver.once('exit', resolve));
    if (driver.exitCode === null && driver.signalCode === null) {
      signal(driver, 'SIGTERM');
      // The driver sometimes waits for a connection that nobody closes.
      await Promise.race([gone, wait(CLOSE_MS)]);
    }
    signal(driver, 'SIGKILL');
    running.delete(driver);
  }

  async #inject(name, source) {
    const there = await this.session.script((global) => global in window, name);
    if (!there) await this.session.script(source);
  }

  /**
   * All elements of a role whose accessible name fits, inside `within` (an element) or anywhere.
   * `name` is a regular expression or the exact text; absent = any.
   */
  async all(role, name, { within, hidden = false } = {}) {
    await this.#inject('TestingLibraryDom', QUERIES);
    return this.session.script(
      (role, source, flags, within, hidden) => {
        const options = { hidden };
        if (source !== null) options.name = flags === null ? source : new RegExp(source, flags);
        return window.TestingLibraryDom.queryAllByRole(within ?? document.body, role, options);
      },
      role,
      name instanceof RegExp ? name.source : (name ?? null),
      name instanceof RegExp ? name.flags : null,
      within ?? null,
      hidden,
    );
  }

  /** The first such element, as soon as there is one. */
  find(role, name, { ms, ...options } = {}) {
    return until(`${role} ${name ?? ''}`, async () => (await this.all(role, name, options))[0], ms);
  }

  async has(role, name, options) {
    return (await this.all(role, name, options)).length > 0;
  }

  async click(role, name, options) {
    const element = await this.find(role, name, options);
    await this.session.script((it) => it.scrollIntoView({ block: 'center', inline: 'center' }), element);
    try {
      await this.session.click(element);
    } catch {
      // It moved or was drawn anew under the cursor; a person would click again.
      await wait(150);
      await this.session.click(await this.find(role, name, options));
    }
    return element;
  }

  /** Replaces what is in a field. */
  async fill(label, text, { role = 'textbox', ...options } = {}) {
    // Password fields have no role: they are found by their label.
    const element = await until(
      `field ${label}`,
      async () => (await this.all(role, label, options))[0] ?? this.#labelled(label, options.within),
    );
    await this.session.script((it) => {
      it.focus();
      it.select?.();
    }, element);
    await this.session.type(element, text === '' ? Key.backspace : text);
    return element;
  }

  async #labelled(label, within) {
    return this.session.script(
      (source, flags, within) => {
        const fits = (text) =>
          flags === null ? text.trim() === source : new RegExp(source, flags).test(text);
        const inputs = [...(within ?? document).querySelectorAll('input, textarea')];
        return (
          inputs.find(
            (input) =>
              [...(input.labels ?? [])].some((it) => fits(it.textContent)) ||
              fits(input.getAttribute('aria-label') ?? ''),
          ) ?? null
        );
      },
      label instanceof RegExp ? label.source : label,
      label instanceof RegExp ? label.flags : null,
      within ?? null,
    );
  }

  /** The visible text of an element, or of the whole page. */
  text(element) {
    return this.session.script((it) => (it ?? document.body).innerText, element ?? null);
  }

  /** Waits until the page says something. */
  sees(pattern, { ms, within } = {}) {
    return until(`text ${pattern}`, async () => pattern.exec(await this.text(within)), ms);
  }

  /** Opens a section. */
  section(name) {
    return this.click('link', new RegExp(`^${name}`));
  }

  /** Chooses a theme in Settings, and stays there. */
  async theme(name) {
    await this.section('Settings');
    await this.click('button', /Theme/);
    await this.click('option', name);
    await until(`the ${name} theme`, async () => (await this.invoke('settings')).theme === name);
  }

  /** Runs one step of a story; a failed one leaves a picture of what was there. */
  async step(name, work) {
    try {
      await work();
    } catch (error) {
      await this.picture(`failed-${name.replaceAll(/\W+/g, '-').slice(0, 60)}`).catch(() => {});
      throw error;
    }
  }

  /** Calls a command of the core through the page's own bridge, for what a spec must know but not see. */
  invoke(command, args = {}) {
    return this.session.asyncScript(
      (command, args) => window.__TAURI_INTERNALS__.invoke(command, args),
      command,
      args,
    );
  }

  press(...keys) {
    return this.session.press(...keys);
  }

  /**
   * Stores a picture of the window: what the display shows. (WebKit's own screenshot waits for ever for a page
   * that has nothing to draw; it serves only where the display is a person's own.)
   */
  async picture(name) {
    // Rows slide to their places for a moment.
    await wait(300);
    const png = E2E_FRAMEBUFFER
      ? encodePng(readFramebuffer(readFileSync(E2E_FRAMEBUFFER)))
      : await this.session.picture();
    writeFileSync(join(E2E_SCREENS, `${name}.png`), png);
  }

  /** Serious and critical findings of axe, one line each. */
  async findings() {
    await this.#inject('axe', AXE);
    return this.session.asyncScript(async () => {
      // What is read out to whoever cannot see passes through a hidden node of React Aria's, filled and emptied at once.
      const context = { exclude: [['[data-live-announcer]']] };
      const { violations } = await window.axe.run(context, { resultTypes: ['violations'] });
      return violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(
          ({ id, impact, nodes }) =>
            `${impact} ${id}: ${nodes
              .slice(0, 5)
              .map((node) => `${node.html.slice(0, 160)} ${node.any[0]?.message ?? ''}`)
              .join(' | ')}`,
        );
    });
  }
}
