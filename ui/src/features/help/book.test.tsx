import { render, screen, waitFor, within } from '@testing-library/react';
import { lexer, type Token, type Tokens } from 'marked';
import { afterEach, describe, expect, it } from 'vitest';
import { App } from '../../app/App';
import { TABLE } from '../../ipc/bindings';
import { closeBook, PLACE_OF, PLACE_OF_WELCOME, PLACES, placeOfConstant } from '../../shell/book';
import { findings } from '../../testing/axe';
import { renderWithCore } from '../../testing/render';
import { Markdown } from './Markdown';
import { anchorOf, anchorOfRow, find, PAGES, picture, target } from './pages';

afterEach(closeBook);

/** Everything on a page that an address can name. */
function anchors(tokens: readonly Token[]): string[] {
  return tokens.flatMap((token) => {
    if (token.type === 'table') return (token as Tokens.Table).rows.map(anchorOfRow);
    const own = anchorOf(token);
    return own === null ? [] : [own];
  });
}

const exists = (place: string) => {
  const [name = '', at] = place.split('#');
  const page = PAGES.get(name);
  return page !== undefined && (at === undefined || anchors(page.tokens).includes(at));
};

function everyToken(tokens: readonly Token[]): Token[] {
  return tokens.flatMap((token) => {
    const inner: Token[] = [];
    if (token.type === 'table') {
      const { header, rows } = token as Tokens.Table;
      for (const cell of [...header, ...rows.flat()]) inner.push(...cell.tokens);
    } else if (token.type === 'list') inner.push(...(token as Tokens.List).items);
    else if ('tokens' in token && token.tokens) inner.push(...token.tokens);
    return [token, ...everyToken(inner)];
  });
}

describe('the pages', () => {
  it.each([
    ...Object.values(PLACE_OF),
    ...Object.values(PLACE_OF_WELCOME),
    ...Object.values(PLACES),
    ...TABLE.map(({ name }) => placeOfConstant(name)),
  ])('have %s', (place) => expect(exists(place)).toBe(true));

  it('lead only to places that there are, and show only pictures that there are', () => {
    let links = 0;
    for (const page of PAGES.values()) {
      for (const token of everyToken(page.tokens)) {
        if (token.type === 'image') expect(picture(token.href), token.href).not.toBeNull();
        if (token.type !== 'link') continue;
        const place = target(token.href, page.name);
        if (place === null) {
          expect(token.href).toMatch(/^https:|^\.\.\/(README|CONTRIBUTING)\.md/);
        } else {
          expect(exists(place), `${page.name}: ${token.href}`).toBe(true);
          links += 1;
        }
      }
    }
    expect(links).toBeGreaterThan(30);
  });

  it('begin with the contents, in whose order they stand', () => {
    const names = [...PAGES.keys()];
    expect(names.slice(0, 3)).toEqual(['readme', 'why-did-it-miss', 'clean-a-memory']);
    expect(names).toHaveLength(new Set(names).size);
  });

  it('are found by their words, headings first', () => {
    expect(find('rerank_window')[0]?.place).toBe('constants#rerank_window');
    expect(find('passphrase keychain').length).toBeGreaterThan(0);
    expect(find('xylophone marmalade')).toEqual([]);
  });
});

it('makes no HTML of what stands in a page, and no link out of the window', () => {
  const source = `<img src=x onerror=alert(1)> text <b>bold</b> [away](https://example.org/a)
[bad](javascript:alert(1)) ![none](https://example.org/p.png)

<script>alert(1)</script>

| a | b |
|---|--:|
| <i>c</i> | \`d\` |`;
  const { container } = render(<Markdown tokens={lexer(source)} page="x" onOpen={() => {}} />);
  expect(container.querySelectorAll('img, b, i, script, a')).toHaveLength(0);
  expect(container.textContent).toContain('away (https://example.org/a)');
  expect(container.textContent).toContain('[none]');
  expect(container.querySelector('td code')?.textContent).toBe('d');
});

describe('the book in the window', () => {
  it('opens with F1 at the section, and gives the focus back', async () => {
    window.location.hash = '#/memories';
    const { person } = renderWithCore(<App />, { whole: true });
    const field = await screen.findByRole('searchbox', { name: 'Text in memories' });
    field.focus();
    await person.keyboard('{F1}');
    const book = await screen.findByRole('dialog', { name: 'The book' });
    const page = within(book).getByRole('region', { name: 'Clean a memory' });
    await waitFor(() => expect(document.activeElement).toBe(page));
    expect(await findings(book)).toEqual([]);
    await person.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await waitFor(() => expect(document.activeElement).toBe(field));
  });

  it('opens at what has the focus, when that names its own place', async () => {
    window.location.hash = '#/tuning';
    const { person } = renderWithCore(<App />, { whole: true });
    const mark = await screen.findByRole('button', { name: 'Presets: what it means' });
    mark.focus();
    await person.keyboard('{F1}');
    const page = await screen.findByRole('region', { name: 'Tune for my agent' });
    expect(page.querySelector('[data-lit]')?.textContent).toBe('1. A preset to start from');
  });

  it('opens a constant from its question mark, and goes back from link to link', async () => {
    window.location.hash = '#/tuning';
    const { person } = renderWithCore(<App />, { whole: true });
    const [mark] = await screen.findAllByRole('button', { name: /^decay floor: what it means$/ });
    await person.click(mark as HTMLElement);
    const page = await screen.findByRole('region', { name: 'Every constant' });
    expect(page.querySelector('[data-lit]')?.textContent).toMatch(/^decay_floor · decay/);
    expect(page.querySelectorAll('[data-lit]')).toHaveLength(1);
    const back = screen.getByRole('button', { name: /Back/ });
    expect(back).toBeDisabled();
    await person.click(within(page).getByRole('link', { name: 'ARCHITECTURE.md' }));
    await screen.findByRole('region', { name: 'Architecture' });
    await person.keyboard('{Alt>}{ArrowLeft}{/Alt}');
    expect(await screen.findByRole('region', { name: 'Every constant' })).toBeTruthy();
  });

  it('finds a word in all pages', async () => {
    const { person } = renderWithCore(<App />, { whole: true, vault: 'none' });
    await person.keyboard('{F1}');
    const field = await screen.findByRole('searchbox', { name: 'Find in the book' });
    await person.type(field, 'recovery code');
    const nav = screen.getByRole('navigation', { name: 'Contents' });
    await person.click((await within(nav).findAllByRole('button'))[1] as HTMLElement);
    await waitFor(() => expect(field).toHaveValue('recovery code'));
    await person.clear(field);
    await person.type(field, 'xylophone');
    expect(await within(nav).findByText(/No page says this/)).toBeTruthy();
  });
});
