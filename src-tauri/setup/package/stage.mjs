// Everything a package holds beside the window's program, laid out in one folder, where tauri.package.conf.json names it.

import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { output, run } from '../command.mjs';
import { Failure } from '../failure.mjs';
import { demoFolder, local, modelFolder, program, root } from '../places.mjs';
import { noticesFolder } from './licences.mjs';

export const stageFolder = join(local, 'package');
const SHELLS = { bash: 'lethescope.bash', zsh: '_lethescope', fish: 'lethescope.fish' };

/** The manifest without the graphs that nobody loads unless asked to: the exact one quadruples a package. */
export function shippedManifest(manifest) {
  const kept = manifest.graphs[manifest.default_graph];
  const dropped = new Set(Object.values(manifest.graphs).filter((file) => file !== kept));
  return {
    ...manifest,
    graphs: { [manifest.default_graph]: kept },
    files: manifest.files.filter(({ file }) => !dropped.has(file)),
  };
}

function stageModel(folder) {
  const manifest = shippedManifest(JSON.parse(readFileSync(join(modelFolder, 'manifest.json'), 'utf8')));
  mkdirSync(folder);
  for (const { file } of manifest.files) copyFileSync(join(modelFolder, file), join(folder, file));
  writeFileSync(join(folder, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** The version of this build and its date go into what software centres show. */
function stageMetadata(file, version) {
  const source = readFileSync(join(root, 'src-tauri/package/org.lethescope.desktop.metainfo.xml'), 'utf8');
  const date = releaseDate(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version);
  const release = `  <releases>\n    <release version="${version}" date="${date}"/>\n  </releases>\n`;
  writeFileSync(file, source.replace('</component>', `${release}</component>`));
}

/** When a version came out by the changelog's headings; a version not yet released has the day of its last commit. */
export function releaseDate(changelog, version) {
  const heading = new RegExp(`^## \\[${version.replaceAll('.', '\\.')}\\].*?(\\d{4}-\\d{2}-\\d{2})`, 'm');
  return (
    heading.exec(changelog)?.[1] ??
    output('git', ['log', '-1', '--format=%cs'], { cwd: root }) ??
    new Date().toISOString().slice(0, 10)
  );
}

/** Lays everything out anew. `cli` is the built program `lethescope`. */
export async function stage(step, cli, version) {
  rmSync(stageFolder, { recursive: true, force: true });
  for (const name of ['bin', 'man', 'completions', 'notices'])
    mkdirSync(join(stageFolder, name), { recursive: true });

  const host = /host: (\S+)/.exec(output('rustc', ['-vV']) ?? '')?.[1];
  if (!host) throw new Failure('rustc does not say what it builds for', 'Check `rustc -vV`.');
  copyFileSync(cli, join(stageFolder, 'bin', program(`lethescope-${host}`)));

  stageModel(join(stageFolder, 'model'));
  cpSync(demoFolder, join(stageFolder, 'demo'), { recursive: true });
  cpSync(noticesFolder, join(stageFolder, 'notices'), { recursive: true });
  copyFileSync(join(root, 'LICENSE'), join(stageFolder, 'notices', 'LICENSE'));
  copyFileSync(join(root, 'LICENSE'), join(stageFolder, 'copyright'));
  stageMetadata(join(stageFolder, 'org.lethescope.desktop.metainfo.xml'), version);

  const pages = join(stageFolder, 'man');
  await run([cli, ['manual', pages]], step);
  for (const name of readdirSync(pages)) {
    writeFileSync(join(pages, `${name}.gz`), gzipSync(readFileSync(join(pages, name)), { level: 9 }));
    rmSync(join(pages, name));
  }
  for (const [shell, file] of Object.entries(SHELLS)) {
    const script = output(cli, ['completions', shell], { maxBuffer: 16 << 20 });
    if (!script) throw new Failure(`no completions for ${shell}`, `Run \`${cli} completions ${shell}\`.`);
    writeFileSync(join(stageFolder, 'completions', file), `${script}\n`);
  }
  return stageFolder;
}
