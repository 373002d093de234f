import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { composed, shippedCrates, shippedModels, shippedPackages } from './licences.mjs';

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

test('each model is named once, with its licence and the text that its package brings', () => {
  const files = [
    {
      file: 'model.onnx',
      origin: 'words-to-vectors 1.0 (Vectors); graph written here',
      licence: 'Apache-2.0',
    },
    { file: 'tokenizer.json', origin: 'words-to-vectors 1.0 (Vectors)', licence: 'Apache-2.0' },
    { file: 'more.onnx', origin: 'more-words 2.0 (Words); graph written here', licence: 'MIT' },
    { file: 'more-words-LICENSE', origin: 'more-words 2.0 (Words)', licence: 'MIT' },
  ];
  const top = folder({ 'manifest.json': JSON.stringify({ files }), 'more-words-LICENSE': 'MIT text\n' });
  assert.deepEqual(shippedModels(top), [
    { name: 'words-to-vectors 1.0 (Vectors)', version: '', licence: 'Apache-2.0', authors: [], texts: [] },
    { name: 'more-words 2.0 (Words)', version: '', licence: 'MIT', authors: [], texts: ['MIT text'] },
  ]);
  assert.deepEqual(shippedModels(join(top, 'nowhere')), []);
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
