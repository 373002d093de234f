import assert from 'node:assert/strict';
import { test } from 'node:test';

import { closed, isNewer, notesOf, numbered } from './texts.mjs';

test('only a whole, later version is one', () => {
  assert.equal(isNewer('0.10.0', '0.9.9'), true);
  assert.equal(isNewer('0.1.0', '0.1.0'), false);
  assert.equal(isNewer('0.0.9', '0.1.0'), false);
  for (const text of [undefined, '', '1', '1.2', 'v1.2.3', '1.2.3-rc.1'])
    assert.equal(isNewer(text, '0.1.0'), false);
});

test('a file states its version once, and versions of others stay', () => {
  const cargo = '[workspace.package]\nversion = "0.1.0"\n\n[dependencies]\nother = { version = "0.1.0" }\n';
  assert.equal(
    numbered(cargo, '0.1.0', '0.2.0'),
    '[workspace.package]\nversion = "0.2.0"\n\n[dependencies]\nother = { version = "0.1.0" }\n',
  );
  assert.equal(numbered('{\n  "version": "0.1.0"\n}\n', '0.1.0', '0.2.0'), '{\n  "version": "0.2.0"\n}\n');
  assert.throws(() => numbered('version = "0x1.0"', '0.1.0', '0.2.0'), /0\.1\.0/);
});

test('the open section becomes the version, with its notes', () => {
  const before =
    '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A door.\n\n## [0.1.0] - 2026-10-01\n\n- All.\n';
  const after = closed(before, '0.2.0', '2026-11-30');
  assert.equal(
    after,
    '# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-11-30\n\n### Added\n\n- A door.\n\n## [0.1.0] - 2026-10-01\n\n- All.\n',
  );
  assert.equal(notesOf(after, '0.2.0'), '### Added\n\n- A door.\n');
  assert.equal(notesOf(after, '0.1.0'), '- All.\n');
  assert.throws(() => closed(after, '0.3.0', '2026-12-01'), /nothing unreleased/);
});
