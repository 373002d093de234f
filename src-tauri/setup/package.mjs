// `npm run package`: an optimised build as .deb and .rpm (Linux), with the model inside.

import { npm, run } from './command.mjs';
import { prepare, targetFolder } from './prepare.mjs';
import { main, Steps } from './steps.mjs';

await main(async () => {
  const steps = new Steps('package');
  await prepare(steps, { test: true, build: 'nothing' });
  await steps.run('command-line program', (step) =>
    run(['cargo', ['build', '--locked', '--release', '-p', 'lethescope']], step).then(() => 'built'),
  );
  await steps.run('packages', async (step) => {
    const bundles = process.platform === 'linux' ? ['--bundles', 'deb,rpm'] : [];
    await run(npm('exec', '--', 'tauri', 'build', ...bundles), step);
    return `in ${targetFolder()}/release/bundle`;
  });
  return 0;
});
