// What a release changes in texts.

import { Failure } from '../failure.mjs';

const PLAIN = /^\d+\.\d+\.\d+$/;
const OPEN = '## [Unreleased]\n';

/** Whether `next` is a version, and a later one. */
export function isNewer(next, before) {
  if (!PLAIN.test(next ?? '')) return false;
  const [a, b] = [next, before].map((text) => text.split('.').map(Number));
  for (let at = 0; at < 3; at++) if (a[at] !== b[at]) return a[at] > b[at];
  return false;
}

/** A file that states the version once, first of all versions in it, with the next one. */
export function numbered(text, before, next) {
  const stated = new RegExp(`^(\\s*"?version"?\\s*[=:]\\s*")${before.replaceAll('.', '\\.')}"`, 'm');
  if (!stated.test(text))
    throw new Failure(`a file does not state the version ${before}`, 'Look at it by `git grep -n version`.');
  return text.replace(stated, `$1${next}"`);
}

/** The changelog with its open section closed under a version, and a new, empty one before it. */
export function closed(changelog, next, date) {
  const [before, after] = changelog.split(OPEN);
  const section = after?.split(/^## /m)[0] ?? '';
  if (!/^- /m.test(section))
    throw new Failure('the changelog has nothing unreleased', 'Say in CHANGELOG.md what people will notice.');
  return `${before}${OPEN}\n## [${next}] - ${date}\n${after}`;
}

/** What the changelog says of a version, without its heading. */
export function notesOf(changelog, wanted) {
  const sections = changelog.split(/^## /m);
  const found = sections.find((section) => section.startsWith(`[${wanted}]`));
  if (!found) throw new Failure(`the changelog does not know ${wanted}`, 'Look at its headings.');
  return `${found.slice(found.indexOf('\n')).trim()}\n`;
}
