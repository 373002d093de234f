// The package on a machine that has nothing: installed by apt on a bare Debian, used there by an ordinary user without
// network, upgraded over a vault that is there, removed. What is seen is asserted; what a program printed is in the log.

import assert from 'node:assert/strict';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { ensureTool } from '../cargo-tools.mjs';
import { Failure, Skipped } from '../failure.mjs';
import { demoFolder, local, root, screens } from '../places.mjs';
import { BareDebian, USER, whyNoBareSystem } from './bare.mjs';

const TOOLCHAIN = ['cc', 'gcc', 'cargo', 'rustc', 'node', 'npm', 'python3', 'perl5.36-x86_64-linux-gnu'];
const PASSPHRASE = 'seven quiet herons wade at dusk';
const VAULT = `${USER.home}/.local/share/lethescope/vault`;
const RESOURCES = '/usr/lib/Lethescope';
// What the test brings to look at the window with; none of it is there before the command line was tried.
const LOOKING = ['xvfb', 'dbus', 'webkit2gtk-driver', 'iproute2'];
const APT = 'apt-get install -y -q --no-install-recommends';

/** Runs `lethescope` as the ordinary user and gives the object that it printed. */
function lethescope(debian, step, args) {
  const command = `lethescope ${args} --json --passphrase-file ${USER.home}/passphrase`;
  const { status, stdout, stderr } = debian.tried(command);
  step.log(`$ ${command}\n${stdout}${stderr}`);
  if (status !== 0)
    throw new Failure(`\`lethescope ${args}\` ended with code ${status}`, 'Read the log.', [stderr.trim()]);
  return JSON.parse(stdout);
}

/** The planted miss of the demo: a query, how the memory begins that answers it, and when its logs end. */
function planted() {
  const read = (name) => JSON.parse(readFileSync(join(demoFolder, name), 'utf8'));
  const { query, expected_text: expected } = read('guide.json').find((one) => one.expected_text);
  return { query, expected, now: read('demo.json').anchor };
}

const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;
const stageNamed = (answer, name) => answer.stages.find((stage) => stage.name === name);

/** The same programs under a lower version, for want of an older package: what apt does then is the same. */
async function lowered(debian, step, version) {
  const older = '0.0.1';
  await debian.asRoot(
    [
      'rm -rf /var/tmp/older && mkdir /var/tmp/older && cd /var/tmp/older',
      'dpkg-deb --raw-extract ../lethescope.deb it',
      `sed -i 's/^Version: .*/Version: ${older}/' it/DEBIAN/control`,
      'dpkg-deb -Zgzip -z1 --root-owner-group --build it ../older.deb',
      'rm -rf /var/tmp/older',
    ].join(' && '),
    step,
  );
  return `${older} (these programs under a lower number), then ${version}`;
}

async function install(debian, step, { made, from, version }) {
  for (const tool of TOOLCHAIN)
    assert.equal(existsSync(debian.path(`/usr/bin/${tool}`)), false, `${tool} is there before`);
  cpSync(made, debian.path('/var/tmp/lethescope.deb'));
  let way;
  if (from) {
    cpSync(from, debian.path('/var/tmp/older.deb'));
    way = `${from}, then ${version}`;
  } else way = await lowered(debian, step, version);
  step.note('apt-get');
  await debian.asRoot('apt-get update -q', step);
  const before = programsOf(debian);
  await debian.asRoot(`${APT} /var/tmp/older.deb`, step, { advice: 'apt says in the log what it lacks.' });
  for (const tool of TOOLCHAIN.slice(0, -1))
    assert.equal(existsSync(debian.path(`/usr/bin/${tool}`)), false, `${tool} came with the package`);
  assert.ok(!before.has('lethescope') && programsOf(debian).has('lethescope'));
  // Whatever a program needs came with it.
  for (const file of [
    '/usr/bin/lethescope',
    '/usr/bin/lethescope-desktop',
    `${RESOURCES}/model/libonnxruntime.so`,
  ]) {
    const { status, stdout } = debian.tried(`ldd ${file}`);
    assert.equal(status, 0, stdout);
    assert.doesNotMatch(stdout, /not found/, `${file} lacks a library`);
  }
  return way;
}

const programsOf = (debian) => new Set(readdirSync(debian.path('/usr/bin')));

/** From nothing to an answer on the command line, with meaning. */
function commandLine(debian, step) {
  const { status } = debian.tried(`printf '%s\\n' ${quoted(PASSPHRASE)} > ${USER.home}/passphrase`);
  assert.equal(status, 0);
  const began = Date.now();
  const created = lethescope(debian, step, 'init');
  assert.ok(['ready', 'loading'].includes(created.model.state), JSON.stringify(created.model));
  const taken = lethescope(debian, step, `ingest ${RESOURCES}/demo/logs`);
  assert.ok(taken.stored > 100, `${taken.stored} memories`);
  const { query, expected, now } = planted();
  const answer = lethescope(debian, step, `query ${quoted(query)} --preset Standard`);
  assert.equal(answer.level, 'full', 'every stage works');
  assert.equal(stageNamed(answer, 'knn').status, 'ok', 'the model answers');
  assert.ok(stageNamed(answer, 'knn').out > 0);
  const ms = Date.now() - began;

  const found = lethescope(debian, step, `list --contains ${quoted(expected)}`);
  assert.equal(found.total, 1);
  const [{ id }] = found.cards;
  const verdict = lethescope(
    debian,
    step,
    `why ${quoted(query)} --expect ${id} --preset Standard --now ${now}`,
  );
  assert.ok(verdict.lost_at, 'the planted miss is lost at a stage');
  assert.ok(verdict.fixes.length > 0, 'and something brings it back');
  const status_ = lethescope(debian, step, 'status');
  assert.ok(status_.embedded > 0 && status_.embedded === status_.embeddable);
  const about = lethescope(debian, step, 'about');
  assert.equal(about.model_folder, `${RESOURCES}/model`);
  const licences = lethescope(debian, step, 'about --licences').licences;
  for (const name of [/onnxruntime/, /MiniLM/, /SPLADE/]) assert.match(licences, name);
  return {
    memories: status_.memories,
    summary: `${status_.memories} memories; from nothing to the first answer in ${(ms / 1000).toFixed(1)} s; lost at ${verdict.lost_at}`,
  };
}

/** The newer package over the older one, and over a vault: everything is still there. */
async function upgrade(debian, step, { version, memories }) {
  await debian.asRoot(`${APT} /var/tmp/lethescope.deb`, step);
  const about = lethescope(debian, step, 'about');
  assert.equal(about.version, version);
  const after = lethescope(debian, step, 'status');
  assert.equal(after.memories, memories);
  assert.equal(after.embedded, after.embeddable);
  const answer = lethescope(debian, step, `query ${quoted(planted().query)}`);
  assert.equal(answer.level, 'full');
  return `${memories} memories before and after`;
}

/** What menus, manuals and shells find. */
async function surroundings(debian) {
  const files = [
    '/usr/share/applications/Lethescope.desktop',
    '/usr/share/icons/hicolor/scalable/apps/lethescope-desktop.svg',
    '/usr/share/icons/hicolor/128x128/apps/lethescope-desktop.png',
    '/usr/share/metainfo/org.lethescope.desktop.metainfo.xml',
    '/usr/share/mime/packages/lethescope.xml',
    '/usr/share/bash-completion/completions/lethescope',
    '/usr/share/zsh/vendor-completions/_lethescope',
    '/usr/share/fish/vendor_completions.d/lethescope.fish',
    '/usr/share/man/man1/lethescope.1.gz',
    '/usr/share/man/man1/lethescope-query.1.gz',
    '/usr/share/doc/lethescope/copyright',
    `${RESOURCES}/notices/third-party.txt`,
  ];
  const { stdout } = debian.tried('dpkg -L lethescope');
  const listed = new Set(stdout.split('\n'));
  for (const file of files) assert.ok(listed.has(file), `${file} is not in the package`);
  const strangers = [...listed].filter(
    (name) => name && !/^\/(\.|usr(\/(bin|lib|share)(\/.*)?)?)$/.test(name),
  );
  assert.deepEqual(strangers, [], 'the package writes outside of its own paths');
  const bash = debian.tried('bash -n /usr/share/bash-completion/completions/lethescope');
  assert.equal(bash.status, 0, `bash cannot read its completions: ${bash.stderr}`);
  return `${listed.size} paths`;
}

/** The window: the demo's miss is found in it by the very spec that tells the story in a checkout. */
async function window(debian, step) {
  step.note('what looks at the window');
  await debian.asRoot(`${APT} ${LOOKING.join(' ')}`, step);
  const driver = await ensureTool('tauri-driver', step);
  const place = '/opt/looking';
  const copied = [
    'tests/e2e',
    'src-tauri/setup',
    'node_modules/@testing-library/dom',
    'node_modules/axe-core',
    'package.json',
  ];
  for (const name of copied)
    cpSync(join(root, name), debian.path(join(place, name)), { recursive: true, dereference: true });
  cpSync(process.execPath, debian.path(join(place, 'node')), { dereference: true });
  cpSync(driver, debian.path(join(place, 'tauri-driver')));
  for (const name of ['node', 'tauri-driver']) chmodSync(debian.path(join(place, name)), 0o755);
  step.note('the window');
  try {
    await debian.asUser(
      `cd ${place} && PATH=${place}:$PATH exec ./node src-tauri/setup/package/look.mjs ${USER.home}/pictures`,
      step,
      { advice: 'Pictures of what was there are in tests/screens/installed.' },
    );
  } finally {
    const pictures = debian.path(`${USER.home}/pictures`);
    if (existsSync(pictures)) {
      mkdirSync(join(screens, 'installed'), { recursive: true });
      cpSync(pictures, join(screens, 'installed'), { recursive: true });
    }
  }
  return 'pictures in tests/screens/installed';
}

/** Removing the program leaves the memory, and says where. */
async function removal(debian, step) {
  const said = await debian.asRoot('apt-get remove -y -q lethescope', step);
  assert.equal(existsSync(debian.path('/usr/bin/lethescope')), false);
  assert.equal(existsSync(debian.path(`${RESOURCES}/model`)), false, 'something of the package stays');
  assert.ok(said.join('\n').includes(VAULT), `the vault's place is not named: ${said.join('\n')}`);
  for (const file of ['vault.db', 'vault.keys']) assert.ok(existsSync(debian.path(`${VAULT}/${file}`)));
  await debian.asRoot(`${APT} /var/tmp/lethescope.deb`, step);
  return 'the vault stays';
}

/**
 * Runs the whole proof, as steps of their own.
 *
 * @param {import('../steps.mjs').Steps} steps
 * @param {{made: string, from?: string, version: string}} packages the package, and an older one when there is one
 */
export async function prove(steps, packages) {
  const why = packages.made ? whyNoBareSystem() : 'no .deb was made here';
  if (why) {
    await steps.run('proof', async () => new Skipped(why));
    return;
  }
  const debian = new BareDebian(join(local, 'bare-debian'));
  let memories = 0;
  try {
    await steps.run('proof: a bare Debian', (step) => debian.make(step));
    await steps.run('proof: installing', (step) => install(debian, step, packages));
    await steps.run('proof: surroundings', () => surroundings(debian));
    await steps.run('proof: command line', async (step) => {
      const seen = commandLine(debian, step);
      memories = seen.memories;
      return seen;
    });
    await steps.run('proof: upgrading', (step) =>
      upgrade(debian, step, { version: packages.version, memories }),
    );
    await steps.run('proof: removing', (step) => removal(debian, step));
    await steps.run('proof: all is there again', async (step) => {
      assert.equal(lethescope(debian, step, 'status').memories, memories);
      return `${memories} memories`;
    });
    await steps.run('proof: window', (step) => window(debian, step));
  } finally {
    debian.remove();
  }
}
