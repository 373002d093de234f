// What the build, the window and the tests need from the system. Debian and Ubuntu: installed when that needs no
// question (root, or sudo without a password). Everywhere else the exact packages are named and set-up stops.

import { existsSync, readFileSync } from 'node:fs';

import { output, run } from './command.mjs';
import { Failure } from './failure.mjs';

const runs =
  (name, ...args) =>
  () =>
    output(name, args) !== undefined;
const onPath = (name) => () =>
  (process.env.PATH ?? '').split(':').some((folder) => folder && existsSync(`${folder}/${name}`));
const linksWith = (name) => runs('pkg-config', '--exists', name);
const hasFont = (query) => () => Boolean(output('fc-list', [query]));

// `when`: build = always; window = a window without a display of one's own; test = end-to-end tests.
const REQUIREMENTS = [
  {
    what: 'C and C++ compilers, make',
    when: 'build',
    met: () => ['cc', 'c++', 'make'].every((name) => onPath(name)()),
    debian: 'build-essential',
    fedora: 'gcc gcc-c++ make',
    arch: 'base-devel',
  },
  {
    what: 'pkg-config',
    when: 'build',
    met: onPath('pkg-config'),
    debian: 'pkg-config',
    fedora: 'pkgconf-pkg-config',
    arch: 'pkgconf',
  },
  // OpenSSL, inside SQLCipher, configures itself with Perl modules that a minimal system lacks.
  {
    what: 'Perl with its modules',
    when: 'build',
    met: runs('perl', '-MIPC::Cmd', '-MFindBin', '-MFile::Compare', '-MFile::Copy', '-e', '1'),
    debian: 'perl',
    fedora: 'perl-FindBin perl-IPC-Cmd perl-File-Compare perl-File-Copy',
    arch: 'perl',
  },
  {
    what: 'WebKitGTK 4.1',
    when: 'build',
    met: linksWith('webkit2gtk-4.1'),
    debian: 'libwebkit2gtk-4.1-dev',
    fedora: 'webkit2gtk4.1-devel',
    arch: 'webkit2gtk-4.1',
  },
  {
    what: 'GTK 3',
    when: 'build',
    met: linksWith('gtk+-3.0'),
    debian: 'libgtk-3-dev',
    fedora: 'gtk3-devel',
    arch: 'gtk3',
  },
  {
    what: 'Python 3',
    when: 'build',
    met: onPath('python3'),
    debian: 'python3',
    fedora: 'python3',
    arch: 'python',
  },
  {
    what: 'Python virtual environments',
    when: 'build',
    met: runs('python3', '-c', 'import venv, ensurepip'),
    debian: 'python3-venv',
    fedora: 'python3',
    arch: 'python',
  },
  {
    what: 'certificates',
    when: 'build',
    met: () =>
      ['/etc/ssl/certs/ca-certificates.crt', '/etc/pki/tls/certs/ca-bundle.crt', '/etc/ssl/cert.pem'].some(
        existsSync,
      ),
    debian: 'ca-certificates',
    fedora: 'ca-certificates',
    arch: 'ca-certificates',
  },
  {
    what: 'Xvfb',
    when: 'window',
    met: onPath('Xvfb'),
    debian: 'xvfb',
    fedora: 'xorg-x11-server-Xvfb',
    arch: 'xorg-server-xvfb',
  },
  {
    what: 'D-Bus',
    when: 'window',
    met: onPath('dbus-run-session'),
    debian: 'dbus',
    fedora: 'dbus-daemon',
    arch: 'dbus',
  },
  {
    what: 'WebKitWebDriver',
    when: 'test',
    met: onPath('WebKitWebDriver'),
    debian: 'webkit2gtk-driver',
    fedora: 'webkit2gtk-driver',
    arch: 'webkit2gtk-4.1',
  },
  {
    what: 'xdotool',
    when: 'test',
    met: onPath('xdotool'),
    debian: 'xdotool',
    fedora: 'xdotool',
    arch: 'xdotool',
  },
  {
    what: 'emulator of other processors',
    when: 'test',
    met: () => process.arch !== 'x64' || onPath('qemu-x86_64')(),
    debian: 'qemu-user',
    fedora: 'qemu-user',
    arch: 'qemu-user',
  },
  {
    what: 'Chinese, Japanese and Korean fonts',
    when: 'test',
    met: hasFont(':lang=ja'),
    debian: 'fonts-noto-cjk fontconfig',
    fedora: 'google-noto-sans-cjk-fonts',
    arch: 'noto-fonts-cjk',
  },
  {
    what: 'emoji font',
    when: 'test',
    met: hasFont(':lang=und-zsye'),
    debian: 'fonts-noto-color-emoji fontconfig',
    fedora: 'google-noto-color-emoji-fonts',
    arch: 'noto-fonts-emoji',
  },
];

const INSTALL = {
  debian: 'apt-get install -y --no-install-recommends',
  fedora: 'dnf install -y',
  arch: 'pacman -S --needed',
};

/** `debian`, `fedora`, `arch` or `undefined`, from the text of os-release. */
export function family(osRelease) {
  const ids = [...osRelease.matchAll(/^ID(?:_LIKE)?="?([^"\n]*)"?$/gm)].flatMap(([, value]) =>
    value.split(' '),
  );
  if (ids.some((id) => id === 'debian' || id === 'ubuntu')) return 'debian';
  if (ids.some((id) => ['fedora', 'rhel', 'centos'].includes(id))) return 'fedora';
  if (ids.includes('arch')) return 'arch';
  return undefined;
}

function missing(needs) {
  return REQUIREMENTS.filter(({ when, met }) => needs.has(when) && !met());
}

const packages = (requirements, system) => [
  ...new Set(requirements.flatMap((need) => need[system].split(' '))),
];

/** The commands with which apt-get runs as root, or `undefined` when a password would be asked for. */
function asRoot() {
  if (process.getuid?.() === 0) return (name, args) => [name, args];
  if (output('sudo', ['-n', 'true']) !== undefined) return (name, args) => ['sudo', ['-n', name, ...args]];
  return undefined;
}

function everywhereElse() {
  if (process.platform === 'darwin') {
    if (output('xcode-select', ['-p'])) return 'macOS: command line tools present';
    throw new Failure(
      "Apple's command line tools are missing",
      'Run `xcode-select --install`, then the command again.',
    );
  }
  if (output('perl', ['-e', '1']) !== undefined) return 'Windows: Perl present';
  throw new Failure(
    'Perl is missing (OpenSSL, inside the vault, configures itself with it)',
    'Install Strawberry Perl, the "Desktop development with C++" workload of the Visual Studio Build Tools,\nand the WebView2 runtime (part of Windows 11); then run the command again.',
  );
}

/**
 * Makes sure that everything is there.
 *
 * @param {object} step the running step
 * @param {{window: boolean, test: boolean}} wants what is going to be run besides the build
 * @returns {Promise<string>} what was found or installed
 */
export async function ensureLibraries(step, { window, test }) {
  if (process.platform !== 'linux') return everywhereElse();
  const needs = new Set(['build', ...(window || test ? ['window'] : []), ...(test ? ['test'] : [])]);
  const lacking = missing(needs);
  if (!lacking.length) return 'all present';

  const names = lacking.map(({ what }) => what).join(', ');
  const system = existsSync('/etc/os-release') ? family(readFileSync('/etc/os-release', 'utf8')) : undefined;
  if (!system) {
    const hints = Object.entries(INSTALL).map(
      ([name, command]) => `${name}: ${command} ${packages(lacking, name).join(' ')}`,
    );
    throw new Failure(
      `missing: ${names}`,
      ['Install them; on the systems known here they are called', ...hints].join('\n'),
    );
  }
  const wanted = packages(lacking, system);
  const command = `${INSTALL[system]} ${wanted.join(' ')}`;
  const elevate = system === 'debian' ? asRoot() : undefined;
  if (!elevate) {
    throw new Failure(`missing: ${names}`, `Run \`sudo ${command}\`, then the command again.`);
  }

  step.say(`installing ${wanted.join(' ')}`);
  step.note('installing system packages');
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  const advice = `Run \`${command}\` by hand and read what it says; then run the command again.`;
  await run(elevate('apt-get', ['update', '-q']), step, { env, advice });
  await run(elevate('apt-get', ['install', '-y', '-q', '--no-install-recommends', ...wanted]), step, {
    env,
    advice,
  });
  const still = missing(needs);
  if (still.length) {
    throw new Failure(
      `still missing after the installation: ${still.map(({ what }) => what).join(', ')}`,
      `Check that this release has \`${packages(still, system).join(' ')}\` (Debian 12, Ubuntu 24.04 or newer).`,
    );
  }
  return `installed ${wanted.join(' ')}`;
}
