/** The book over the window: contents and search on the left, a page on the right. Esc closes it. */
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Button } from '../../components/Button';
import { Dialog } from '../../components/Dialog';
import { SearchField } from '../../components/fields';
import { text } from '../../locales/en';
import { closeBook, openBook, type Place } from '../../shell/book';
import css from './Book.module.css';
import { Markdown } from './Markdown';
import markdown from './Markdown.module.css';
import { type BookPage, CONTENTS, find, PAGES } from './pages';

const words = text.app.book;

export function Book({ place }: { place: Place | null }) {
  return (
    <Dialog
      title={words.title}
      isOpen={place !== null}
      onClose={closeBook}
      isWide
      actions={
        <>
          <small className={css.keys}>{words.keys}</small>
          <Button onPress={closeBook}>{text.common.close}</Button>
        </>
      }
    >
      {place === null ? null : <Open place={place} />}
    </Dialog>
  );
}

function Open({ place }: { place: Place }) {
  const [name = '', at] = place.split('#');
  const page = PAGES.get(name) ?? PAGES.get(CONTENTS);
  const [before, setBefore] = useState<readonly Place[]>([]);
  const go = useCallback(
    (next: Place) => {
      if (next === place) return;
      setBefore((all) => [...all, place]);
      openBook(next);
    },
    [place],
  );
  const back = useCallback(() => {
    const last = before.at(-1);
    if (last === undefined) return;
    setBefore(before.slice(0, -1));
    openBook(last);
  }, [before]);
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (!event.altKey || event.key !== 'ArrowLeft') return;
      event.preventDefault();
      back();
    };
    window.addEventListener('keydown', pressed);
    return () => window.removeEventListener('keydown', pressed);
  }, [back]);
  if (!page) return null;
  return (
    <div className={css.book}>
      <Contents page={page} onOpen={go} />
      <Article
        key={page.name}
        page={page}
        at={at ?? null}
        onOpen={go}
        onBack={before.length > 0 ? back : null}
      />
    </div>
  );
}

/** The pages, or while something is looked for, where it stands. */
function Contents({ page, onOpen }: { page: BookPage; onOpen: (place: Place) => void }) {
  const [asked, setAsked] = useState('');
  const found = asked.trim() === '' ? null : find(asked);
  return (
    <nav className={css.contents} aria-label={words.contents}>
      <SearchField label={words.find} placeholder={words.find} value={asked} onChange={setAsked} />
      {found?.length === 0 ? <p role="status">{words.none}</p> : null}
      <ul>
        {found
          ? found.map((one) => (
              <li key={one.place}>
                <button type="button" onClick={() => onOpen(one.place)}>
                  {one.heading}
                  {one.heading === one.page ? null : <small>{short(one.page)}</small>}
                </button>
              </li>
            ))
          : [...PAGES.values()].map((one) => (
              <li key={one.name}>
                <button
                  type="button"
                  aria-current={one === page ? 'page' : undefined}
                  onClick={() => onOpen(one.name)}
                >
                  {one.name === CONTENTS ? words.contents : short(one.title)}
                </button>
              </li>
            ))}
      </ul>
    </nav>
  );
}

/** A title without what it goes on to say. */
const short = (title: string) => title.split(':')[0] ?? title;

function Article(props: {
  page: BookPage;
  at: string | null;
  onOpen: (place: Place) => void;
  onBack: (() => void) | null;
}) {
  const { page, at, onOpen, onBack } = props;
  const box = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const there = at === null ? null : element.querySelector(`[data-at="${CSS.escape(at)}"]`);
    for (const lit of element.querySelectorAll('[data-lit]')) lit.removeAttribute('data-lit');
    there?.setAttribute('data-lit', '');
    if (there) there.scrollIntoView({ block: 'start' });
    else element.scrollTo?.(0, 0);
  }, [at]);
  // The arrow keys scroll the page at once. A search goes on in its field.
  useEffect(() => {
    if (document.activeElement?.closest('nav') === null) box.current?.focus();
  }, []);
  return (
    <div className={css.page}>
      <Button variant="quiet" isDisabled={onBack === null} onPress={() => onBack?.()}>
        ← {words.back}
      </Button>
      <section
        ref={box}
        className={`${markdown.page} ${css.text}`}
        aria-label={page.title}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard.
        tabIndex={0}
      >
        <Markdown tokens={page.tokens} page={page.name} onOpen={onOpen} />
      </section>
    </div>
  );
}
