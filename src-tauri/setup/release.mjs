// `npm run release -- 0.2.0`: checks that this checkout can become that version, writes the number everywhere, turns the
// changelog's open section into the version's, makes the packages, and writes the notes. Commit, tag and push are a
// person's: they are named at the end.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { npm, output, run } from './command.mjs';
import { Failure } from './failure.mjs';
import { local, root, shown } from './places.mjs';
import { closed, isNewer, notesOf, numbered } from './release/texts.mjs';
import { main, Steps } from './steps.mjs';
import { version } from './version.mjs';

const STATED = ['Cargo.toml', 'src-tauri/tauri.conf.json', 'ui/package.json'];
const read = (name) => readFileSync(join(root, name), 'utf8');
const write = (name, text) => writeFileSync(join(root, name), text);

function check(next) {
  if (!isNewer(next, version()))
    throw new Failure(
      `${next ?? 'nothing'} is not a version after ${version()}`,
      'usage: npm run release -- X.Y.Z',
    );
  if (output('git', ['status', '--porcelain'], { cwd: root }) !== '')
    throw new Failure('there are changes that are not committed', 'Commit or put them aside first.');
  if (output('git', ['tag', '--list', `v${next}`], { cwd: root }) !== '')
    throw new Failure(`the tag v${next} is there already`, 'Choose the next version.');
  return `${version()} → ${next}`;
}

async function bump(step, next) {
  const before = version();
  // Everything is thought through before anything is written.
  const changed = STATED.map((name) => [name, numbered(read(name), before, next)]);
  changed.push(['CHANGELOG.md', closed(read('CHANGELOG.md'), next, new Date().toISOString().slice(0, 10))]);
  for (const [name, text] of changed) write(name, text);
  // The lockfiles name our own packages with their versions.
  await run(['cargo', ['update', '--workspace', '--offline']], step);
  await run(npm('install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund'), step);
  return changed.map(([name]) => name).join(', ');
}

await main(async () => {
  const [next] = process.argv.slice(2);
  const steps = new Steps('release');
  await steps.run('checks', async () => check(next));
  await steps.run('numbers', (step) => bump(step, next));
  await steps.run('packages', (step) => run(npm('run', 'package'), step).then(() => 'made'));
  await steps.run('notes', async () => {
    mkdirSync(local, { recursive: true });
    const file = join(local, `notes-${next}.md`);
    writeFileSync(file, notesOf(read('CHANGELOG.md'), next));
    return shown(file);
  });
  steps.write(
    `Now: npm test, git commit -am 'release: ${next}', git tag v${next}, git push --follow-tags; the tag makes the draft.`,
  );
  return steps.summary();
});
