// A bare Debian 12 in a folder: nothing but what debootstrap calls minimal. What runs in it sees its own processes and
// mounts, and no network unless it is given one. Nothing of this system is mounted into it, so that removing the folder
// removes the folder.

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { output, run } from '../command.mjs';

const RELEASE = 'bookworm';
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** The ordinary user in it. */
export const USER = { name: 'ada', id: 1000, home: '/home/ada' };

// Whatever this system needs to reach a mirror, the other one needs too.
const PROXIES = ['http_proxy', 'https_proxy', 'no_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'];
const CERTIFICATES = ['SSL_CERT_FILE', 'CURL_CA_BUNDLE'];
const ISOLATED = ['--mount', '--pid', '--fork', '--kill-child'];

/** Why a bare system cannot be made here, or `undefined`. */
export function whyNoBareSystem() {
  if (process.platform !== 'linux') return 'a bare Debian can be made on Linux only';
  if (process.getuid?.() !== 0) return 'a bare Debian can be made by root only';
  if (output('debootstrap', ['--version']) === undefined)
    return 'debootstrap is not installed (Debian, Ubuntu: `apt-get install debootstrap`)';
  if (output('unshare', [...ISOLATED, '--net', 'true']) === undefined)
    return 'this system does not let root separate networks and mounts (a container without the right to?)';
  return undefined;
}

export class BareDebian {
  constructor(folder) {
    this.folder = folder;
  }

  /** Makes it anew. */
  async make(step) {
    this.remove();
    mkdirSync(this.folder, { recursive: true });
    const base = ['--variant=minbase', '--include=ca-certificates', RELEASE, this.folder];
    await run(['debootstrap', base], step, {
      advice:
        'Check the network; a proxy is taken from http_proxy. The log says which package could not be had.',
    });
    // Only how the mirror is reached, not where this system gets its own packages from.
    const settings = output('apt-config', ['dump', 'Acquire']) ?? '';
    writeFileSync(this.path('/etc/apt/apt.conf.d/90-here'), `${settings}\n`);
    for (const file of ['/etc/hosts', '/etc/resolv.conf', ...CERTIFICATES.map((name) => process.env[name])]) {
      if (!file || !existsSync(file)) continue;
      mkdirSync(dirname(this.path(file)), { recursive: true });
      cpSync(file, this.path(file), { dereference: true });
    }
    mkdirSync(this.path('/dev/shm'), { recursive: true, mode: 0o1777 });
    await this.asRoot(`useradd --uid ${USER.id} --create-home --shell /bin/sh ${USER.name}`, step);
  }

  /** A path inside, seen from outside. */
  path(inside) {
    return join(this.folder, inside);
  }

  #call(command, { network, user }) {
    const given = [...PROXIES, ...CERTIFICATES]
      .filter((name) => network && process.env[name])
      .map((name) => `${name}=${process.env[name]}`);
    const who = user
      ? ['setpriv', `--reuid=${USER.id}`, `--regid=${USER.id}`, '--clear-groups', '--no-new-privs']
      : [];
    const home = user ? USER.home : '/root';
    // A network of one's own starts with even the way to oneself closed; programs expect that one open.
    const loop = network ? ':' : '[ ! -x /sbin/ip ] || ip link set lo up';
    const script = `mount -t proc proc "$0/proc" && exec chroot "$0" /usr/bin/env -i "$@"`;
    return [
      'unshare',
      [
        ...ISOLATED,
        ...(network ? [] : ['--net']),
        'sh',
        '-c',
        script,
        this.folder,
        `PATH=${PATH}`,
        `HOME=${home}`,
        'LANG=C.UTF-8',
        'DEBIAN_FRONTEND=noninteractive',
        ...given,
        'sh',
        '-c',
        `${loop}; cd "$HOME" && exec "$@"`,
        'sh',
        ...who,
        'sh',
        '-ec',
        command,
      ],
    ];
  }

  /** Runs a command as root, with the network; its output goes to the step's log. */
  asRoot(command, step, options = {}) {
    return run(this.#call(command, { network: true, user: false }), step, options);
  }

  /** Runs a long command as the ordinary user without network; its output is shown. */
  asUser(command, step, options = {}) {
    return run(this.#call(command, { network: false, user: true }), step, { echo: true, ...options });
  }

  /** What a command of the ordinary user without network did: `status`, `stdout`, `stderr`. */
  tried(command) {
    const [name, args] = this.#call(command, { network: false, user: true });
    return spawnSync(name, args, {
      encoding: 'utf8',
      maxBuffer: 64 << 20,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  remove() {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
