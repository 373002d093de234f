/** Picks the memory that should have come up, by text or by id. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { SearchField } from '../../components/fields';
import { Highlighted } from '../../components/Highlighted';
import { Failed, Waiting } from '../../components/State';
import { backend } from '../../ipc/backend';
import type { MemoryCard } from '../../ipc/bindings';
import { keys } from '../../ipc/keys';
import { xray } from '../../locales/en/xray';
import { useNextPress } from '../../shell/focus';
import { walkRows } from '../../stages/arrows';
import css from './ExpectedSearch.module.css';
import { Meta } from './Meta';
import { xrayStore } from './store';

const t = xray.verdict;
const SHOWN = 12;
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
      {cards && cards.length > 0 ? (
        <ul aria-label={t.matches} className={css.matches} onKeyDown={walkRows}>
          {cards.map((card, index) => (
            <li key={card.id}>
              <button
                type="button"
                data-row
                tabIndex={index === 0 ? 0 : -1}
                onClick={() => xrayStore().expect(card.id)}
              >
                <span>
                  <Highlighted text={card.snippet} marks={card.highlights} />
                </span>
                <small>
                  {card.id} · <Meta card={card} />
                </small>
              </button>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}
