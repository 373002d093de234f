import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { reasons } from './reasons';

/** The core's remarks about a record that was stored all the same. */
const REMARKS = [
  'bytes that were not UTF-8 replaced',
  'long encoded data replaced',
  'lone surrogate replaced',
  'nested more than 100 deep, the rest left aside',
  "a time after the file's last change, not believed",
  'a time that was not understood',
  'an end that was not understood',
];

it('has a sentence for every reason that formats share', () => {
  const core = join(process.cwd(), '../src-tauri/crates/ingest/src/format/outcome.rs');
  const shared = /mod reason \{([\s\S]*?)\n\}/.exec(readFileSync(core, 'utf8'))?.[1] ?? '';
  const named = [...shared.matchAll(/: &str = "(.*)";/g)].map((found) => found[1] as string);
  expect(named.length).toBeGreaterThan(10);
  const silent = named.filter((name) => !(name in reasons) && !REMARKS.includes(name));
  expect(silent).toEqual([]);
});
