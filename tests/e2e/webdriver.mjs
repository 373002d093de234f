// The part of the WebDriver protocol that the specs need, over fetch. One session is one window.

/** How WebDriver marks an element in JSON. */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';

/** Keys that have no letter. */
export const Key = {
  control: '\uE009',
  f1: '\uE031',
  alt: '\uE00A',
  shift: '\uE008',
  enter: '\uE007',
  escape: '\uE00C',
  tab: '\uE004',
  backspace: '\uE003',
  home: '\uE011',
  end: '\uE010',
  left: '\uE012',
  up: '\uE013',
  right: '\uE014',
  down: '\uE015',
};

export class Session {
  #base;

  /** Opens the application in a new session of the driver at `url`. */
  static async open(url, application) {
    const value = await call('POST', `${url}/session`, {
      capabilities: { alwaysMatch: { 'tauri:options': { application } } },
    });
    const session = new Session();
    session.#base = `${url}/session/${value.sessionId}`;
    return session;
  }

  /** Closes the window. */
  close() {
    return call('DELETE', this.#base);
  }

  /** Runs a function in the page. Arguments and result are JSON, or elements. */
  async script(body, ...args) {
    const script = typeof body === 'string' ? body : `return (${body}).apply(null, arguments)`;
    return this.#post('/execute/sync', { script, args });
  }

  /** Runs an async function in the page and waits for its promise. */
  async asyncScript(body, ...args) {
    const script = `
      const done = arguments[arguments.length - 1];
      (${body}).apply(null, [...arguments].slice(0, -1)).then(
        (value) => done({ value }),
        (error) => done({ error: String(error?.stack ?? JSON.stringify(error)) }),
      );`;
    const { value, error } = await this.#post('/execute/async', {
      script,
      args,
    });
    if (error) throw new Error(error);
    return value;
  }

  click(element) {
    return this.#post(`/element/${element[ELEMENT]}/click`, {});
  }

  /** Types into an element that takes text. */
  type(element, text) {
    return this.#post(`/element/${element[ELEMENT]}/value`, { text });
  }

  /** Presses keys on whatever has the focus; held keys come first. */
  press(...keys) {
    const down = keys.map((value) => ({ type: 'keyDown', value }));
    const up = keys.toReversed().map((value) => ({ type: 'keyUp', value }));
    return this.#post('/actions', {
      actions: [{ type: 'key', id: 'keyboard', actions: [...down, ...up] }],
    });
  }

  /** Presses the mouse at one place of the window, moves it to another, and lets go. */
  drag(from, to) {
    const move = ([x, y], duration) => ({
      type: 'pointerMove',
      origin: 'viewport',
      duration,
      x,
      y,
    });
    return this.#post('/actions', {
      actions: [
        {
          type: 'pointer',
          id: 'mouse',
          parameters: { pointerType: 'mouse' },
          actions: [
            move(from, 0),
            { type: 'pointerDown', button: 0 },
            move([(from[0] + to[0]) / 2, from[1]].map(Math.round), 120),
            move(to, 120),
            { type: 'pointerUp', button: 0 },
          ],
        },
      ],
    });
  }

  /** What the page looks like, as PNG. */
  async picture() {
    return Buffer.from(await call('GET', `${this.#base}/screenshot`), 'base64');
  }

  resize(width, height) {
    return this.#post('/window/rect', { width, height });
  }

  timeouts(script) {
    return this.#post('/timeouts', { script });
  }

  #post(path, body) {
    return call('POST', this.#base + path, body);
  }
}

// Longer than the longest script may take.
const ANSWER_MS = 150_000;

async function call(method, url, body) {
  const reply = await fetch(url, {
    method,
    headers: body && { 'content-type': 'application/json; charset=utf-8' },
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  const { value } = await reply.json();
  if (!reply.ok)
    throw new Error(
      `${value?.error ?? reply.status}: ${value?.message ?? ''} (${method} ${new URL(url).pathname})`,
    );
  return value;
}
