// `npm run dev`: the page from a development server (changes show at once), the window around it.

import { spawn } from 'node:child_process';

import { npm } from './command.mjs';
import { hasDisplay } from './display.mjs';
import { Failure } from './failure.mjs';
import { demoFolder, modelFolder, root } from './places.mjs';
import { prepare } from './prepare.mjs';
import { main, Steps } from './steps.mjs';

const SERVER = 'http://localhost:5173';
const PATIENCE_MS = 30_000;

async function answers(url) {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; ) {
    if (
      await fetch(url).then(
        (reply) => reply.ok,
        () => false,
      )
    )
      return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Failure(`${url} does not answer`, 'Read what the development server wrote above.');
}

await main(async () => {
  if (!hasDisplay())
    throw new Failure('there is no display', 'For the page alone: `npm run dev:fake -w ui`.');
  await prepare(new Steps('dev'), { build: 'nothing' });
  const env = { LETHESCOPE_MODEL_DIR: modelFolder, LETHESCOPE_DEMO_DIR: demoFolder, ...process.env };
  const show = { cwd: root, stdio: 'inherit', env };
  const page = spawn(...npm('run', 'dev', '--workspace', 'ui', '--', '--port', '5173', '--strictPort'), show);
  try {
    await answers(SERVER);
    // Without `custom-protocol` the window asks the development server for its page.
    const window = spawn('cargo', ['run', '--locked', '-p', 'desktop'], show);
    return await new Promise((resolve) => window.on('close', (code) => resolve(code ?? 0)));
  } finally {
    page.kill();
  }
});
