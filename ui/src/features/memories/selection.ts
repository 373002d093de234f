import { useCallback, useMemo, useRef, useState } from 'react';
import { failed } from '../../components/failure';

/** Which memories the bar's actions will touch. */
export interface Selection {
  ids: ReadonlySet<string>;
  toggle: (id: string) => void;
  add: (ids: readonly (string | undefined)[]) => void;
  clear: () => void;
  /** Adds all that `ask` gathers, unless something else was selected or cleared meanwhile. */
  addAll: (ask: Gather) => void;
  /** How far that is, while it goes on. */
  gathering: Gathered | null;
}

/** How many ids are there, and how many will be. */
export interface Gathered {
  done: number;
  total: number;
}

/** Gathers ids, says how far it is, and gives up when `progress` says no. */
export type Gather = (progress: (now: Gathered) => boolean) => Promise<readonly string[]>;

export function useSelection(): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const toggle = useCallback((id: string) => {
    setIds((now) => {
      const next = new Set(now);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  }, []);
  const add = useCallback((added: readonly (string | undefined)[]) => {
    setIds((now) => new Set([...now, ...added.filter((id) => id !== undefined)]));
  }, []);
  const [gathering, setGathering] = useState<Gathered | null>(null);
  /** Which gathering is wanted; a later one, or a clearing, ends those before. */
  const turn = useRef(0);
  const clear = useCallback(() => {
    turn.current += 1;
    setGathering(null);
    setIds((now) => (now.size === 0 ? now : new Set()));
  }, []);
  const latest = useRef(ids);
  latest.current = ids;
  const addAll = useCallback((ask: Gather) => {
    const before = latest.current;
    turn.current += 1;
    const mine = turn.current;
    const isWanted = () => turn.current === mine && latest.current === before;
    ask((now) => {
      if (!isWanted()) return false;
      if (now.done < now.total) setGathering(now);
      return true;
    })
      .then((all) => {
        if (isWanted()) setIds(new Set([...before, ...all]));
      })
      .catch(failed)
      .finally(() => {
        if (turn.current === mine) setGathering(null);
      });
  }, []);
  return useMemo(
    () => ({ ids, toggle, add, addAll, clear, gathering }),
    [ids, toggle, add, addAll, clear, gathering],
  );
}
