// `npm run bench`: the numbers, measured in the real programs on this machine: 10,000 invented memories, taken in by
// the command-line program, asked and tuned in the real window. Every ratio comes from one run.

import { join } from 'node:path';

import { inWindow } from './end-to-end.mjs';
import { root } from './places.mjs';
import { prepare } from './prepare.mjs';
import { main, Steps } from './steps.mjs';

await main(async () => {
  const steps = new Steps('bench');
  await prepare(steps, { test: true });
  await steps.run('numbers', (step) =>
    inWindow(step, [join(root, 'tests', 'e2e', 'numbers.mjs'), ...process.argv.slice(2)]),
  );
  return 0;
});
