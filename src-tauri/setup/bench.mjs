// `npm run bench`: the numbers, measured on this machine. First in the real programs: 10,000 invented memories, taken
// in by the command-line program, asked and tuned in the real window. Then the pipeline alone at 100,000 memories, or
// `--memories N`, and the window's sliders on as many. Every ratio comes from one run. With `--check` a missed budget
// is a failure. With `--peers` the pipeline alone, and other search programs beside it (see peers/).

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { run } from './command.mjs';
import { inWindow } from './end-to-end.mjs';
import { peers } from './peers/peers.mjs';
import { modelFolder, root } from './places.mjs';
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
  await steps.run('embedding', async (step) => {
    await run(
      ['cargo', ['bench', '--locked', '--profile', 'dev', '-p', 'models', '--bench', 'embedding']],
      step,
      {
        echo: true,
        env: { LETHESCOPE_MODEL_DIR: modelFolder },
      },
    );
  });
  await steps.run('sliders', async (step) => {
    const folder = mkdtempSync(join(tmpdir(), 'lethescope-bench-'));
    try {
      const vault = join(folder, 'vault');
      const size = /--memories (\d+)/.exec(given.join(' '))?.[1] ?? '100000';
      const fill = ['--fill', '--window', '--memories', size, '--keep', vault];
      await run(['cargo', [...scale, '--', ...fill]], step, {
        env: { LETHESCOPE_MODEL_DIR: modelFolder },
      });
      return await inWindow(step, [join(root, 'tests', 'e2e', 'paint.mjs'), vault, ...check]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
  return 0;
});
