// `npm run deny`: installs cargo-deny and cargo-machete below .local and runs them: licences, banned and duplicate
// crates, sources, crates that nobody uses. Advisories need a download that a build should not depend on.

import { ensureTool } from './cargo-tools.mjs';
import { run } from './command.mjs';
import { main, Steps } from './steps.mjs';

await main(async () => {
  const steps = new Steps('deny');
  await steps.attempt('licences', async (step) => {
    await run([await ensureTool('cargo-deny', step), ['check', 'bans', 'licenses', 'sources']], step);
  });
  await steps.attempt('unused crates', async (step) => {
    await run([await ensureTool('cargo-machete', step), []], step);
  });
  return steps.summary();
});
