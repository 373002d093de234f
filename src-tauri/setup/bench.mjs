// `npm run bench`: the numbers, measured on this machine. First in the real programs: 10,000 invented memories, taken
// in by the command-line program, asked and tuned in the real window. Then the pipeline alone at 100,000 memories, or
// `--memories N`. Every ratio comes from one run. With `--check` a missed budget is a failure. With `--peers` the
// pipeline alone, and other search programs beside it (see peers/).

import { join } from 'node:path';

import { run } from './command.mjs';
import { inWindow } from './end-to-end.mjs';
import { peers } from './peers/peers.mjs';
import { root } from './places.mjs';
import { FEATURES, prepare } from './prepare.mjs';
import { main, Steps } from './steps.mjs';

await main(async () => {
  const steps = new Steps('bench');
  await prepare(steps, { test: true });
  const given = process.argv.slice(2).filter((argument) => argument !== '--peers');
  const check = given.filter((argument) => argument === '--check');
  const scale = ['bench', '--locked', '--profile', 'dev', '--workspace', '--bench', 'scale', ...FEATURES];
  const pipeline = (more = []) =>
    steps.run('scale', async (step) => {
      await run(['cargo', [...scale, '--', ...given, ...more]], step, { echo: true });
    });
  if (process.argv.includes('--peers')) {
    await peers(steps, pipeline);
    return 0;
  }
  await steps.run('numbers', (step) => inWindow(step, [join(root, 'tests', 'e2e', 'numbers.mjs'), ...check]));
  await pipeline();
  return 0;
});
