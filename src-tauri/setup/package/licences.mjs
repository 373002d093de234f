// The licences of everything that is shipped, as one text: crates and page packages that end up in the programs, and
// the models with their runtime. Equal texts stand once, with everything they are about.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { output } from '../command.mjs';
import { Failure } from '../failure.mjs';
import { local, modelFolder, root } from '../places.mjs';
import { contentHash, isDone, markDone } from '../stamp.mjs';

export const noticesFolder = join(local, 'notices');
const FILE = 'third-party.txt';

const PROGRAMS = ['desktop', 'lethescope'];
// Needed while building only, and yet in the program: these bring the source of a library.
const BROUGHT_BY_BUILD = new Set(['openssl-src']);
const LICENCE_FILE = /^(licen[cs]e|copying|copyright|notice|unlicense|ofl)([-._].*)?$/i;
// Folders in which a package keeps the licence of a library that it brings, or further texts.
const DEEPER = ['LICENSES', 'licenses', 'openssl', 'sqlcipher'];

// SQLCipher comes as one file of code; its licence is the comment over its own part.
const IN_CODE = ['sqlcipher/sqlite3.c', /\/\*(?:(?!\*\/)[\s\S])*ZETETIC LLC(?:(?!\*\/)[\s\S])*\*\//];

/** The licence texts that lie in a package's folder. */
export function textsIn(folder) {
  const found = [];
  const [code, comment] = IN_CODE;
  if (existsSync(join(folder, code)))
    found.push(readFileSync(join(folder, code), 'utf8').match(comment)?.[0]);
  for (const [place, inner] of [[folder, false], ...DEEPER.map((name) => [join(folder, name), true])]) {
    if (!existsSync(place)) continue;
    const all = inner && /licenses$/i.test(place);
    for (const entry of readdirSync(place, { withFileTypes: true })) {
      if (entry.isFile() && (all || LICENCE_FILE.test(entry.name)) && !entry.name.endsWith('.rs'))
        found.push(readFileSync(join(place, entry.name), 'utf8').replaceAll('\r\n', '\n').trim());
    }
  }
  return found.filter(Boolean);
}

/** Packages of `cargo metadata` that reach the programs, ours left out. */
export function shippedCrates(metadata) {
  const packages = new Map(metadata.packages.map((one) => [one.id, one]));
  const nodes = new Map(metadata.resolve.nodes.map((node) => [node.id, node]));
  const ours = new Set(metadata.workspace_members);
  const seen = new Set();
  const visit = (id) => {
    if (seen.has(id)) return;
    seen.add(id);
    for (const { pkg, dep_kinds: kinds } of nodes.get(id)?.deps ?? []) {
      const shipped = kinds.some(
        ({ kind }) => kind === null || (kind === 'build' && BROUGHT_BY_BUILD.has(packages.get(pkg).name)),
      );
      if (shipped) visit(pkg);
    }
  };
  for (const id of ours) if (PROGRAMS.includes(packages.get(id).name)) visit(id);
  return [...seen]
    .filter((id) => !ours.has(id))
    .map((id) => packages.get(id))
    .map(({ name, version, license, authors, manifest_path: path }) => ({
      name,
      version,
      licence: license ?? 'see its text',
      authors,
      texts: textsIn(dirname(path)),
    }));
}

/** Packages that vite puts into the page: what `ui` depends on, and what that depends on. */
export function shippedPackages(folder) {
  const found = new Map();
  const visit = (name, from) => {
    // As Node looks for it: beside whoever asks, then further up.
    let place = from;
    while (!existsSync(join(place, 'node_modules', name, 'package.json'))) {
      if (place === dirname(place)) return;
      place = dirname(place);
    }
    const home = join(place, 'node_modules', name);
    if (found.has(home)) return;
    const { version, license, author, dependencies } = JSON.parse(
      readFileSync(join(home, 'package.json'), 'utf8'),
    );
    found.set(home, {
      name,
      version,
      licence: license ?? 'see its text',
      authors: [typeof author === 'string' ? author : author?.name].filter(Boolean),
      texts: textsIn(home),
    });
    for (const next of Object.keys(dependencies ?? {})) visit(next, home);
  };
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  for (const name of Object.keys(dependencies)) visit(name, folder);
  return [...found.values()];
}

/** The models and their runtime, from the manifest that lies beside them. */
export function shippedModels(folder) {
  const manifest = join(folder, 'manifest.json');
  if (!existsSync(manifest)) return [];
  const { files } = JSON.parse(readFileSync(manifest, 'utf8'));
  const origins = new Map(files.map(({ origin, licence }) => [origin.split(';')[0], licence]));
  const texts = (start) =>
    readdirSync(folder)
      .filter((name) => name.startsWith(start) && /licen[cs]e|notice/i.test(name))
      .map((name) => readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n').trim());
  return [...origins].map(([origin, licence]) => ({
    name: origin,
    version: '',
    licence,
    authors: [],
    texts: texts(origin.split(' ')[0]),
  }));
}

const titleOf = ({ name, version }) => `${name} ${version}`.trim();
const RULE = '-'.repeat(80);

/** The whole text. */
export function composed(groups) {
  const lines = ['Third-party notices of Lethescope', ''];
  const texts = new Map();
  for (const [title, packages] of groups) {
    if (!packages.length) continue;
    lines.push(title, '');
    for (const one of packages.toSorted((a, b) => (titleOf(a) < titleOf(b) ? -1 : 1))) {
      const bare = one.texts.length
        ? ''
        : `  (brings no text; by ${one.authors.join(', ') || 'its authors'})`;
      lines.push(`  ${titleOf(one)}: ${one.licence}${bare}`);
      for (const text of one.texts) texts.set(text, [...(texts.get(text) ?? []), titleOf(one)]);
    }
    lines.push('');
  }
  for (const [text, about] of [...texts].toSorted((a, b) => b[1].length - a[1].length)) {
    lines.push(RULE, `About ${about.join(', ')}:`, '', text, '');
  }
  return `${lines.join('\n')}\n`;
}

/** Writes the text where programs in a checkout and the package find it. */
export function writeNotices() {
  const hash = contentHash([
    'Cargo.lock',
    'package-lock.json',
    '.local/model/manifest.json',
    'src-tauri/setup/package/licences.mjs',
  ]);
  const file = join(noticesFolder, FILE);
  if (isDone('licences', hash) && existsSync(file)) return 'up to date';
  const host = /host: (\S+)/.exec(output('rustc', ['-vV']) ?? '')?.[1];
  const answer = output(
    'cargo',
    ['metadata', '--locked', '--format-version', '1', ...(host ? ['--filter-platform', host] : [])],
    { cwd: root, maxBuffer: 256 << 20 },
  );
  if (!answer) throw new Failure('cargo tells nothing about the crates', 'Run `cargo metadata --locked`.');
  const crates = shippedCrates(JSON.parse(answer));
  const packages = shippedPackages(join(root, 'ui'));
  mkdirSync(noticesFolder, { recursive: true });
  writeFileSync(
    file,
    composed([
      ['Rust crates', crates],
      ['Packages of the page', packages],
      ['Models and runtime', shippedModels(modelFolder)],
    ]),
  );
  markDone('licences', hash);
  return `${crates.length} crates, ${packages.length} page packages`;
}
