/**
 * The list of memories, page by page: the window never holds the table.
 *
 * Rows that come in while the list is scrolled are held back (every page is asked for with an
 * offset), so that nothing moves under the cursor; a pill says how many wait at the top.
 */
import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { backend } from '../../ipc/backend';
import type { ListRequest, MemoryCard, PageView } from '../../ipc/bindings';
import { useGently } from '../../ipc/gently';
import { useOnNotice } from '../../ipc/hooks';
import { keys } from '../../ipc/keys';
import type { Gathered } from './selection';

export const PAGE = 100;

/** How often a flood of new rows may ask again, milliseconds. */
const PAUSE = 200;

/** How long a row that just came in is pointed out, milliseconds. */
const PULSE = 2400;

export type Listed = Omit<ListRequest, 'offset' | 'limit'>;

export interface MemoryList {
  /** Rows that the list shows; 0 while the first page is awaited. */
  total: number;
  loading: boolean;
  error: unknown;
  /** Asks for what failed once more. */
  again: () => void;
  /** The row at a place, when its page has come. */
  at: (index: number) => MemoryCard | undefined;
  /** Rows that wait above the top. */
  held: number;
  /** Shows the held rows. */
  release: () => void;
  /** Ids that came in a moment ago. */
  fresh: ReadonlySet<string>;
}

/** The core gives so many rows at once at most. */
const MOST = 500;

/** The ids of all that match, in the list's order, also of rows that were never drawn. */
export async function everyId(
  request: Listed,
  progress: (now: Gathered) => boolean = () => true,
): Promise<string[]> {
  const ids = new Set<string>();
  for (let offset = 0; ; ) {
    const { cards, total } = await backend().listMemories({ ...request, offset, limit: MOST });
    for (const { id } of cards) ids.add(id);
    offset += cards.length;
    const isWanted = progress({ done: ids.size, total });
    if (cards.length === 0 || offset >= total || !isWanted) return [...ids];
  }
}

/** `first` and `last` are the outermost visible rows; `scrolled` whether the top is out of sight. */
export function useMemoryList(
  request: Listed,
  first: number,
  last: number,
  scrolled: boolean,
): MemoryList {
  const client = useQueryClient();
  const [held, setHeld] = useState(0);
  const fresh = useFresh();
  const name = JSON.stringify(request);
  const named = useRef(name);
  if (named.current !== name) {
    named.current = name;
    if (held !== 0) setHeld(0);
  }

  const pages: number[] = [];
  for (let page = Math.floor(first / PAGE); page <= Math.floor(last / PAGE); page += 1)
    pages.push(page);
  const results = useQueries({
    queries: pages.map((page) => ({
      queryKey: keys.page(request, page, held),
      queryFn: () =>
        backend().listMemories({ ...request, offset: page * PAGE + held, limit: PAGE }),
    })),
  });
  const loaded = new Map<number, PageView>();
  results.forEach((result, index) => {
    if (result.data) loaded.set(pages[index] ?? 0, result.data);
  });

  // While a page is on its way (new filter, far jump) the last known length keeps the scroll bar.
  const known = useRef({ name: '', total: 0 });
  const answer = [...loaded.values()].at(-1);
  if (answer) known.current = { name, total: Math.max(0, answer.total - held) };
  const total = known.current.name === name ? known.current.total : 0;

  /** Ids of the rows that are held back, to be pointed out once they show. */
  const waiting = useRef<string[]>([]);
  const state = useRef({ held, total, scrolled, request, pages });
  state.current = { held, total, scrolled, request, pages };

  useOnNotice((notice) => {
    if (notice.type !== 'memories') return;
    const now = state.current;
    const atTop =
      now.request.sort === 'newest' || now.request.sort === 'last_stored' || !now.request.sort;
    const set = now.request.trash || now.request.expired;
    if (notice.added === 0 || !now.scrolled || !atTop || set) {
      refetch();
      fresh.add(notice.latest);
      return;
    }
    waiting.current.push(...notice.latest);
    hold();
  });

  const refetch = useGently(() => void client.invalidateQueries({ queryKey: keys.lists }), PAUSE);
  const hold = useGently(() => {
    void backend()
      .listMemories({ ...state.current.request, offset: 0, limit: 1 })
      .then(({ total: newTotal }) => {
        const latest = state.current;
        const above = Math.max(0, newTotal - latest.total);
        if (above === latest.held) return;
        for (const page of latest.pages) {
          const shown = client.getQueryData<PageView>(keys.page(latest.request, page, latest.held));
          if (shown) {
            client.setQueryData(keys.page(latest.request, page, above), {
              ...shown,
              total: newTotal,
            });
          }
        }
        setHeld(above);
      })
      .catch(() => {
        // The list keeps what it shows; its own questions report what is wrong.
      });
  }, PAUSE);

  const { add: pointOut } = fresh;
  const release = useCallback(() => {
    setHeld(0);
    pointOut(waiting.current.splice(0));
  }, [pointOut]);
  const failed = results.find((result) => result.isError);
  return {
    total,
    loading: answer === undefined && !failed,
    error: failed?.error ?? null,
    again: () => void failed?.refetch(),
    at: (index) => loaded.get(Math.floor(index / PAGE))?.cards[index % PAGE],
    held,
    release,
    fresh: fresh.ids,
  };
}

function useFresh(): { ids: ReadonlySet<string>; add: (ids: string[]) => void } {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const timers = useRef(new Set<ReturnType<typeof setTimeout>>());
  useEffect(() => {
    const running = timers.current;
    return () => {
      for (const timer of running) clearTimeout(timer);
    };
  }, []);
  const add = useCallback((added: string[]) => {
    if (added.length === 0) return;
    setIds((now) => new Set([...now, ...added]));
    const timer = setTimeout(() => {
      timers.current.delete(timer);
      setIds((now) => new Set([...now].filter((id) => !added.includes(id))));
    }, PULSE);
    timers.current.add(timer);
  }, []);
  return { ids, add };
}
