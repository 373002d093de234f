/** The pages of the book as they lie in `docs/`, taken into the window when it is built. */
import { lexer, type Token, type Tokens } from 'marked';

const SOURCES = import.meta.glob<string>(
  ['../../../../docs/*.md', '../../../../ARCHITECTURE.md', '../../../../SECURITY.md'],
  { query: '?raw', import: 'default', eager: true },
);
const PICTURES = import.meta.glob<string>('../../../../.github/screenshots/miss-*.png', {
  query: '?url',
  import: 'default',
  eager: true,
});

/** The page that lists the others. */
export const CONTENTS = 'readme';

export interface BookPage {
  name: string;
  title: string;
  tokens: Token[];
}

const nameOf = (path: string) => path.replace(/^.*\//, '').replace(/\.md$/, '').toLowerCase();

/** A heading as GitHub writes it in addresses. */
export const slug = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');

/** What tokens say, without their marks. */
export function wordsOf(tokens: readonly Token[]): string {
  return tokens
    .map((token) =>
      'tokens' in token && token.tokens ? wordsOf(token.tokens) : 'text' in token ? token.text : '',
    )
    .join('');
}

/** The name of what a block is about, for addresses: a heading, a term, a row's first cell. */
export function anchorOf(token: Token): string | null {
  if (token.type === 'heading') return slug(wordsOf(token.tokens ?? []));
  if (token.type !== 'paragraph') return null;
  const first = token.tokens?.[0];
  const inner = first?.type === 'strong' ? first.tokens?.[0] : undefined;
  return inner?.type === 'codespan' ? inner.text : null;
}

/** The same of a table's row. */
export const anchorOfRow = (cells: readonly Tokens.TableCell[]): string =>
  slug(wordsOf(cells[0]?.tokens ?? []));

function read(): ReadonlyMap<string, BookPage> {
  const found = new Map<string, BookPage>();
  for (const [path, source] of Object.entries(SOURCES)) {
    const tokens = lexer(source);
    const heading = tokens.find((token) => token.type === 'heading');
    const title = heading?.type === 'heading' ? wordsOf(heading.tokens ?? []) : nameOf(path);
    found.set(nameOf(path), { name: nameOf(path), title, tokens });
  }
  const order = [CONTENTS, ...linksOf(found.get(CONTENTS)?.tokens ?? [])];
  const place = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length);
  return new Map([...found].sort(([a], [b]) => place(a) - place(b)));
}

/** The pages that tokens link to, in their order. */
function linksOf(tokens: readonly Token[]): string[] {
  const found: string[] = [];
  const visit = (all: readonly Token[]) => {
    for (const token of all) {
      if (token.type === 'link') found.push(nameOf(token.href.split('#')[0] ?? ''));
      if (token.type === 'table') {
        for (const row of (token as Tokens.Table).rows) for (const cell of row) visit(cell.tokens);
      } else if ('tokens' in token && token.tokens) visit(token.tokens);
    }
  };
  visit(tokens);
  // The book's own contents are not among what it lists.
  return found.filter((name) => name !== CONTENTS);
}

/** Every page by its name, in the order in which the contents list them. */
export const PAGES = read();

/** What a link of a page leads to: a place of the book, or nothing that this window can open. */
export function target(href: string, from: string): string | null {
  if (/^[a-z]+:/i.test(href)) return null;
  const [file = '', at] = href.split('#');
  const up = file.startsWith('../');
  const name = file === '' ? from : nameOf(file);
  // The README of the repository is not the one of the book.
  if (!PAGES.has(name) || (up && name === CONTENTS)) return null;
  return at ? `${name}#${at}` : name;
}

/** Where a picture of a page lies; null when it was not taken along. */
export function picture(href: string): string | null {
  const file = href.replace(/^.*\//, '');
  const path = Object.keys(PICTURES).find((one) => one.endsWith(`/${file}`));
  return path === undefined ? null : (PICTURES[path] ?? null);
}

/** A part of a page in which something was found. */
export interface Found {
  place: string;
  page: string;
  heading: string;
}

/** The most that are listed. */
const MOST = 40;

/** The parts of pages that hold every word, those with the words in their heading first. */
export function find(asked: string): Found[] {
  const words = asked.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const holds = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  const inHeading: Found[] = [];
  const inText: Found[] = [];
  for (const page of PAGES.values()) {
    for (const part of partsOf(page)) {
      const found = { place: part.place, page: page.title, heading: part.heading };
      if (holds(part.heading)) inHeading.push(found);
      else if (holds(part.text)) inText.push(found);
    }
  }
  return [...inHeading, ...inText].slice(0, MOST);
}

/** A page cut at its headings and terms. */
function partsOf({ name, title, tokens }: BookPage) {
  const parts = [{ place: name, heading: title, text: '' }];
  for (const token of tokens) {
    const at = anchorOf(token);
    if (at !== null && !(token.type === 'heading' && token.depth === 1)) {
      const heading = token.type === 'heading' ? wordsOf(token.tokens ?? []) : at;
      parts.push({ place: `${name}#${at}`, heading, text: '' });
    }
    const last = parts[parts.length - 1];
    if (last) last.text += ` ${token.raw}`;
  }
  return parts;
}
