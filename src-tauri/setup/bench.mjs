// `npm run bench`: the numbers, measured on this machine. First in the real programs: 10,000 invented memories, taken
// in by the command-line program, asked and tuned in the real window. Then the pipeline alone at 100,000 memories, or
// `--memories N`. Every ratio comes from one run. With `--check` a missed budget is a failure.

import { join } from 'node:path';

import { run } from './command.mjs';
import { inWindow } from './end-to-end.mjs';
import { root } from './places.mjs';
import { FEATURES, prepare } from './prepare.mjs';
import { main, Steps } from './steps.mjs';

await main(async () => {
  const steps = new Steps('bench');
  await prepare(steps, { test: true });
  const given = process.argv.slice(2);
  const check = given.filter((argument) => argument === '--check');
  await steps.run('numbers', (step) => inWindow(step, [join(root, 'tests', 'e2e', 'numbers.mjs'), ...check]));
  const scale = ['bench', '--locked', '--profile', 'dev', '--workspace', '--bench', 'scale', ...FEATURES];
  await steps.run('scale', async (step) => {
    await run(['cargo', [...scale, '--', ...given]], step, { echo: true });
  });
  return 0;
});
