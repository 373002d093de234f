// `npm run icons`: makes every size that a package needs from icons/lethescope.svg.

import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { npm, run } from './command.mjs';
import { root } from './places.mjs';
import { main, Steps } from './steps.mjs';

const KEPT = ['32x32.png', '128x128.png', '128x128@2x.png', 'icon.png', 'icon.icns', 'icon.ico'];

await main(async () => {
  const steps = new Steps('icons');
  await steps.run('icons', async (step) => {
    const folder = mkdtempSync(join(tmpdir(), 'lethescope-icons-'));
    try {
      await run(
        npm('exec', '--', 'tauri', 'icon', join(root, 'icons', 'lethescope.svg'), '--output', folder),
        step,
        {
          advice: 'Run `npm ci` first.',
        },
      );
      for (const name of KEPT) copyFileSync(join(folder, name), join(root, 'icons', name));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    return KEPT.join(', ');
  });
  return 0;
});
