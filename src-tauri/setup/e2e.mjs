// `npm run e2e [-- NAME]`: the end-to-end specs alone, or those whose name contains NAME.

import { endToEnd } from './end-to-end.mjs';
import { prepare } from './prepare.mjs';
import { main, Steps } from './steps.mjs';

await main(async () => {
  const steps = new Steps('e2e');
  await prepare(steps, { test: true });
  await steps.run('end-to-end', (step) => endToEnd(step, process.argv[2]));
  return 0;
});
