// What a package needs from the system that it is installed on, read out of the programs themselves.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { output } from '../command.mjs';
import { Failure } from '../failure.mjs';

/** Names of the shared libraries that `objdump -p` says a program needs. */
export const neededLibraries = (dump) => [...dump.matchAll(/^\s+NEEDED\s+(\S+)$/gm)].map(([, name]) => name);

/** The newest version of the C library that `objdump -p` says a program needs, or `undefined`. */
export function newestGlibc(dump) {
  const versions = [...dump.matchAll(/\bGLIBC_(\d+)\.(\d+)(?:\.\d+)?\b/g)].map(([, a, b]) => [
    Number(a),
    Number(b),
  ]);
  return versions
    .sort((a, b) => a[0] - b[0] || a[1] - b[1])
    .at(-1)
    ?.join('.');
}

/** `Requires` of an RPM: libraries by name, which every distribution provides alike, and how new the C library is. */
export function rpmNeeds(programs) {
  const names = new Set();
  let glibc = '0.0';
  for (const program of programs) {
    const dump = output('objdump', ['-p', program], { maxBuffer: 64 << 20 });
    if (dump === undefined)
      throw new Failure(`objdump cannot read ${program}`, 'Install binutils, then run the command again.');
    for (const name of neededLibraries(dump)) names.add(name);
    const newest = newestGlibc(dump) ?? '0.0';
    if (newest.localeCompare(glibc, 'en', { numeric: true }) > 0) glibc = newest;
  }
  // The loader is part of the C library and is provided under no name of this form everywhere.
  const libraries = [...names].filter((name) => !name.startsWith('ld-linux') && name !== 'libc.so.6');
  return [...libraries.sort().map((name) => `${name}()(64bit)`), `libc.so.6(GLIBC_${glibc})(64bit)`];
}

/** `Depends` of a Debian package, or `undefined` where Debian's own tool for it is missing. */
export function debianNeeds(programs) {
  if (output('dpkg-shlibdeps', ['--version']) === undefined) return undefined;
  // The tool wants to stand in a source package.
  const folder = mkdtempSync(join(tmpdir(), 'lethescope-needs-'));
  try {
    mkdirSync(join(folder, 'debian'));
    writeFileSync(
      join(folder, 'debian/control'),
      'Source: lethescope\n\nPackage: lethescope\nArchitecture: any\n',
    );
    const places = [...new Set(programs.map(dirname))].map((place) => `-l${place}`);
    const answer = output(
      'dpkg-shlibdeps',
      ['-O', '--warnings=0', ...places, ...programs.map((path) => `-e${path}`)],
      { cwd: folder },
    );
    const list = answer && /^shlibs:Depends=(.*)$/m.exec(answer)?.[1];
    if (!list)
      throw new Failure(
        'dpkg-shlibdeps cannot say which packages the programs need',
        `Run \`dpkg-shlibdeps -O ${programs.map((path) => `-e${path}`).join(' ')}\` and read what it says.`,
      );
    return list.split(', ');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
