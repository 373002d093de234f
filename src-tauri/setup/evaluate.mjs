// `npm run eval [-- FOLDER…]`: retrieval quality on judged sets. A set is a folder with corpus, queries and qrels.
// Without arguments: every set in $LETHESCOPE_EVAL, else in ../shared/eval, else the invented one in tests/fixtures/eval.
// One run measures the presets and each leg alone. LETHESCOPE_EVAL_SAMPLE=400 takes that many queries of each set.

import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { run } from './command.mjs';
import { Failure } from './failure.mjs';
import { modelFolder, root } from './places.mjs';
import { built, prepare } from './prepare.mjs';
import { main, Steps } from './steps.mjs';

const VARIANTS = ['preset=Balanced', 'knn_weight=0 rerank=off', 'bm25_weight=0 rerank=off'].flatMap((one) => [
  '--variant',
  one,
]);

const count = process.env.LETHESCOPE_EVAL_SAMPLE;
const sample = count ? ['--sample', count] : [];

function setsIn(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(folder, entry.name))
    .sort();
}

function chosen(args) {
  if (args.length) return args.map((folder) => resolve(folder));
  const places = [
    process.env.LETHESCOPE_EVAL,
    join(root, '..', 'shared', 'eval'),
    join(root, 'tests', 'fixtures', 'eval'),
  ];
  return (
    places
      .filter(Boolean)
      .map(setsIn)
      .find((sets) => sets.length) ?? []
  );
}

await main(async () => {
  const sets = chosen(process.argv.slice(2));
  if (!sets.length) throw new Failure('there is no judged set', 'usage: npm run eval -- FOLDER…');
  const steps = new Steps('eval');
  await prepare(steps, { test: true });
  for (const set of sets) {
    await steps.attempt(`eval ${set.split('/').pop()}`, async (step) => {
      await run([built('lethescope'), ['eval', set, ...sample, ...VARIANTS]], step, {
        echo: true,
        env: { LETHESCOPE_MODEL_DIR: modelFolder },
      });
    });
  }
  return steps.summary();
});
