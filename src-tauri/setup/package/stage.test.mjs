import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { root } from '../places.mjs';
import { releaseDate, shippedManifest } from './stage.mjs';

test('only the graph that is loaded is shipped', () => {
  const files = ['a.onnx', 'b.onnx', 'c.onnx', 'tokenizer.json'].map((file) => ({ file }));
  const manifest = {
    graphs: { int8: 'a.onnx', f32: 'b.onnx' },
    default_graph: 'int8',
    files,
    dimension: 384,
    expander: { graph: 'c.onnx' },
  };
  assert.deepEqual(shippedManifest(manifest), {
    graphs: { int8: 'a.onnx' },
    default_graph: 'int8',
    files: [{ file: 'a.onnx' }, { file: 'c.onnx' }, { file: 'tokenizer.json' }],
    dimension: 384,
    expander: { graph: 'c.onnx' },
  });
});

test('a release has the date of its heading', () => {
  const changelog = '## [Unreleased]\n\n## [0.2.0] - 2026-11-30\n\n## [0.1.0] - 2026-10-01\n';
  assert.equal(releaseDate(changelog, '0.2.0'), '2026-11-30');
  assert.equal(releaseDate(changelog, '0.1.0'), '2026-10-01');
  assert.match(releaseDate(changelog, '0x2.0'), /^\d{4}-\d{2}-\d{2}$/);
});

test('the window is started by the name that menus, software centres and the package know', () => {
  const read = (name) => readFileSync(join(root, 'src-tauri', name), 'utf8');
  const { productName, identifier } = JSON.parse(read('tauri.conf.json'));
  const metadata = read('package/org.lethescope.desktop.metainfo.xml');
  assert.ok(metadata.includes(`<id>${identifier}</id>`));
  assert.ok(metadata.includes(`<launchable type="desktop-id">${productName}.desktop</launchable>`));
  // The programs look for what the package brings under the product's name.
  assert.ok(read('crates/inspector/src/paths.rs').includes(`../lib/${productName}`));
});
