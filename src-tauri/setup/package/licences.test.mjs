import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { composed, shippedCrates, shippedPackages } from './licences.mjs';

function folder(files) {
  const top = mkdtempSync(join(tmpdir(), 'lethescope-licences-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(top, name, '..'), { recursive: true });
    writeFileSync(join(top, name), text);
  }
  return top;
}

test('a crate counts when it ends up in a program', () => {
  const top = folder({ 'used/LICENSE-MIT': 'MIT text', 'openssl-src/openssl/LICENSE.txt': 'Apache text' });
  const one = (name) => ({
    id: name,
    name,
    version: '1',
    license: 'MIT',
    authors: [],
    manifest_path: join(top, name, 'Cargo.toml'),
  });
  const dep = (pkg, kind = null) => ({ pkg, dep_kinds: [{ kind }] });
  const found = shippedCrates({
    packages: ['desktop', 'lethescope', 'used', 'builds', 'openssl-src', 'tests-only'].map(one),
    workspace_members: ['desktop', 'lethescope'],
    resolve: {
      nodes: [
        { id: 'desktop', deps: [dep('lethescope'), dep('tests-only', 'dev')] },
        { id: 'lethescope', deps: [dep('used'), dep('builds', 'build')] },
        { id: 'used', deps: [dep('openssl-src', 'build')] },
      ],
    },
  });
  assert.deepEqual(
    found.map(({ name, texts }) => [name, texts]),
    [
      ['used', ['MIT text']],
      ['openssl-src', ['Apache text']],
    ],
  );
  rmSync(top, { recursive: true });
});

test('packages of the page are followed as Node finds them', () => {
  const json = (object) => JSON.stringify(object);
  const top = folder({
    'ui/package.json': json({ dependencies: { a: '1' }, devDependencies: { never: '1' } }),
    'node_modules/a/package.json': json({ version: '1.0.0', license: 'MIT', dependencies: { b: '1' } }),
    'node_modules/a/node_modules/b/package.json': json({ version: '2.0.0', license: 'ISC' }),
    'node_modules/b/package.json': json({ version: '3.0.0', license: 'ISC' }),
    'node_modules/never/package.json': json({ version: '1.0.0' }),
  });
  const found = shippedPackages(join(top, 'ui')).map(({ name, version }) => `${name} ${version}`);
  assert.deepEqual(found, ['a 1.0.0', 'b 2.0.0']);
  rmSync(top, { recursive: true });
});

test('equal texts stand once, with all that they are about', () => {
  const one = (name, texts) => ({ name, version: '1', licence: 'MIT', authors: ['Ada'], texts });
  const text = composed([['Crates', [one('b', ['the text']), one('a', ['the text']), one('c', [])]]]);
  assert.equal(text.match(/the text/g).length, 1);
  assert.match(text, /About a 1, b 1:/);
  assert.match(text, /c 1: MIT {2}\(brings no text; by Ada\)/);
});
