// `npm run bindings`: rewrites ui/src/ipc/bindings.ts from the Rust commands. `npm test` fails when it is stale.

import { run } from './command.mjs';
import { FEATURES, prepare } from './prepare.mjs';
import { main, Steps } from './steps.mjs';

await main(async () => {
  const steps = new Steps('bindings');
  await prepare(steps, { build: 'nothing' });
  await steps.run('bindings', async (step) => {
    await run(
      ['cargo', ['test', '--locked', '--workspace', ...FEATURES, '--bin', 'lethescope-desktop', 'bindings']],
      step,
      {
        env: { UPDATE_BINDINGS: '1' },
      },
    );
    return 'ui/src/ipc/bindings.ts is current';
  });
  return 0;
});
