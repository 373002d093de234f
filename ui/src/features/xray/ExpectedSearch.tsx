/** Picks the memory that should have come up, by text or by id. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useMemo, useState } from 'react';
import { SearchField } from '../../components/fields';
import { Passage } from '../../components/Passage';
import { Failed, Waiting } from '../../components/State';
import { backend } from '../../ipc/backend';
import type { MemoryCard, Trace } from '../../ipc/bindings';
import { keys } from '../../ipc/keys';
import { xray } from '../../locales/en/xray';
import { useNextPress } from '../../shell/focus';
import { walkRows } from '../../stages/arrows';
import { stageOf } from '../../trace/model';
import css from './ExpectedSearch.module.css';
import { Meta } from './Meta';
import { useXray, xrayStore } from './store';

const t = xray.verdict;
const SHOWN = 12;
/** How many that came close are offered. */
const CLOSE = 6;
const ID = /^m?\d+$/i;

/** The memory with this id, then those that contain the text, newest first. */
async function lookUp(text: string): Promise<MemoryCard[]> {
  const [byId, page] = await Promise.all([
    ID.test(text)
      ? backend()
          .getMemory(text.toLowerCase().startsWith('m') ? text.toLowerCase() : `m${text}`, null)
          .then((memory) => [memory.card])
          .catch(() => [])
      : Promise.resolve([]),
    backend().listMemories({ contains: text, limit: SHOWN, offset: 0 }),
  ]);
  const ids = new Set(byId.map((card) => card.id));
  return [...byId, ...page.cards.filter((card) => !ids.has(card.id))];
}

export function ExpectedSearch() {
  const [text, setText] = useState('');
  const input = useNextPress<HTMLInputElement>();
  const wanted = useDeferredValue(text.trim());
  const found = useQuery({
    queryKey: [...keys.memories, 'expected', wanted],
    queryFn: () => lookUp(wanted),
    enabled: wanted.length > 1,
    placeholderData: keepPreviousData,
    retry: false,
  });
  const cards = wanted.length > 1 ? found.data : undefined;
  return (
    <div className={css.search}>
      <h2>{t.pick}</h2>
      <p className={css.help}>{t.pickHelp}</p>
      <SearchField
        input={input}
        label={t.search}
        placeholder={t.search}
        value={text}
        onChange={setText}
      />
      {found.isLoading ? <Waiting words={t.searching} /> : null}
      {found.error ? <Failed error={found.error} onRetry={() => void found.refetch()} /> : null}
      {cards && cards.length === 0 && !found.isFetching ? (
        <p className={css.help}>{t.none}</p>
      ) : null}
      {cards && cards.length > 0 ? <Offers label={t.matches} cards={cards} /> : null}
      {wanted.length > 1 ? null : <Below />}
    </div>
  );
}

/** Before anything is typed: who came close, since it is often one of them. */
function Below() {
  const { view, cards } = useXray('view', 'cards');
  const close = useMemo(
    () =>
      view
        ? justBelow(view.trace).flatMap((id) => {
            const card = cards[id];
            return card ? [card] : [];
          })
        : [],
    [view, cards],
  );
  if (close.length === 0) return null;
  return (
    <>
      <h3 className={css.help}>{t.close}</h3>
      <Offers label={t.close} cards={close.slice(0, CLOSE)} />
    </>
  );
}

/** What the query found and did not return, the best of it first. */
export function justBelow(trace: Trace): string[] {
  const seen = new Set(trace.results);
  const below: string[] = [];
  for (const name of ['select', 'rerank', 'decay'] as const) {
    const items = stageOf(trace, name).items.toSorted((a, b) => a.rank - b.rank);
    for (const { id } of items) {
      if (!seen.has(id)) below.push(id);
      seen.add(id);
    }
  }
  return below;
}

function Offers({ label, cards }: { label: string; cards: readonly MemoryCard[] }) {
  return (
    <ul aria-label={label} className={css.matches} onKeyDown={walkRows}>
      {cards.map((card, index) => (
        <li key={card.id}>
          <button
            type="button"
            data-row
            tabIndex={index === 0 ? 0 : -1}
            onClick={() => xrayStore().expect(card.id)}
          >
            <span>
              <Passage card={card} />
            </span>
            <small>
              {card.id} · <Meta card={card} />
            </small>
          </button>
        </li>
      ))}
    </ul>
  );
}
