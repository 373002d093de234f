// `npm run package`: an optimised build as .deb and .rpm (Linux), .dmg (macOS) or an installer (Windows), with the
// command-line program, the model, the demo and the licences inside.
//   npm run package -- --prove               then install it on a bare Debian and use it there
//   npm run package -- --prove --from OLD    … coming from that older .deb
//   npm run package -- --debug               of the programs that `npm start` builds: for work on the package itself

import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { npm, run } from './command.mjs';
import { Failure } from './failure.mjs';
import { noticesFolder } from './package/licences.mjs';
import { debianNeeds, rpmNeeds } from './package/needs.mjs';
import { prove } from './package/prove.mjs';
import { stage, stageFolder } from './package/stage.mjs';
import { program, root, shown } from './places.mjs';
import { FEATURES, prepare, targetFolder } from './prepare.mjs';
import { main, Steps } from './steps.mjs';
import { version } from './version.mjs';

const KINDS = { linux: ['deb', 'rpm'], darwin: ['dmg'], win32: ['nsis'] };
const ENDINGS = /\.(deb|rpm|dmg|exe)$/;

/** What stands in no file, since it is read out of the programs: what they need from the system. */
function computedConfig(programs) {
  if (process.platform !== 'linux') return {};
  const linux = { rpm: { depends: rpmNeeds(programs) } };
  const debian = debianNeeds(programs);
  if (debian) linux.deb = { depends: debian };
  return { bundle: { linux } };
}

/** The finished packages in a folder of cargo's. */
function packagesIn(bundle) {
  return (KINDS[process.platform] ?? [])
    .map((kind) => join(bundle, kind))
    .filter(existsSync)
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .filter((file) => ENDINGS.test(file) && file.includes(version()));
}

async function bundle(step, built, debug) {
  const model = join(stageFolder, 'model', 'libonnxruntime.so');
  const programs = ['lethescope', 'lethescope-desktop'].map((name) => join(built, program(name)));
  const kinds = KINDS[process.platform];
  if (!kinds) throw new Failure(`no packages for ${process.platform}`, 'Linux, macOS and Windows are known.');
  const computed = join(stageFolder, 'computed.conf.json');
  writeFileSync(computed, JSON.stringify(computedConfig([...programs, model]), null, 2));
  // dpkg-shlibdeps and its like are only asked about Debian; without them no .deb is made.
  const wanted = kinds.filter((kind) => kind !== 'deb' || debianNeeds(programs) !== undefined);
  await run(
    npm(
      'exec',
      '--',
      'tauri',
      'bundle',
      ...(debug ? ['--debug'] : []),
      '--bundles',
      wanted.join(','),
      '--config',
      'src-tauri/tauri.package.conf.json',
      '--config',
      computed,
    ),
    step,
  );
  const files = packagesIn(join(built, 'bundle'));
  if (files.length < wanted.length)
    throw new Failure('a package is missing', `Look into ${shown(join(built, 'bundle'))} and read the log.`);
  return files;
}

function wishes(args) {
  const wanted = { prove: false, debug: false, from: undefined };
  for (let at = 0; at < args.length; at++) {
    if (args[at] === '--prove') wanted.prove = true;
    else if (args[at] === '--debug') wanted.debug = true;
    else if (args[at] === '--from' && args[at + 1]) wanted.from = args[++at];
    else
      throw new Failure(
        `unknown argument ${args[at]}`,
        'usage: npm run package [-- --prove [--from OLD.deb]] [--debug]',
      );
  }
  return wanted;
}

await main(async () => {
  const { prove: proving, debug, from } = wishes(process.argv.slice(2));
  const steps = new Steps('package');
  await prepare(steps, { model: true, licences: true, build: debug ? 'programs' : 'nothing' });
  const built = join(targetFolder(), debug ? 'debug' : 'release');
  if (!debug)
    await steps.run('optimised programs', async (step) => {
      const call = ['build', '--locked', '--release', '-p', 'desktop', '-p', 'lethescope', ...FEATURES];
      await run(['cargo', call], step);
      return 'built';
    });
  await steps.run('contents', async (step) => {
    if (!existsSync(noticesFolder)) throw new Failure('the licences are missing', 'Run the command again.');
    await stage(step, join(built, program('lethescope')), version());
    return shown(stageFolder);
  });
  let files = [];
  await steps.run('packages', async (step) => {
    files = await bundle(step, built, debug);
    const sized = files.map((file) => `${shown(file)} (${(statSync(file).size / 1e6).toFixed(1)} MB)`);
    return sized.join(', ');
  });
  if (proving) {
    const made = files.find((file) => file.endsWith('.deb'));
    await prove(steps, { made, from, version: version(), root });
  }
  return steps.summary();
});
