import { useCallback, useMemo, useRef, useState } from 'react';
import { failed } from '../../components/failure';

/** Which memories the bar's actions will touch. */
export interface Selection {
  ids: ReadonlySet<string>;
  toggle: (id: string) => void;
  add: (ids: readonly (string | undefined)[]) => void;
  clear: () => void;
  /** Adds all that `ask` answers, unless something else was selected or cleared meanwhile. */
  addAll: (ask: () => Promise<readonly string[]>) => void;
}

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
  const clear = useCallback(() => setIds((now) => (now.size === 0 ? now : new Set())), []);
  const latest = useRef(ids);
  latest.current = ids;
  const addAll = useCallback((ask: () => Promise<readonly string[]>) => {
    const before = latest.current;
    ask()
      .then((all) => {
        if (latest.current === before) setIds(new Set([...before, ...all]));
      })
      .catch(failed);
  }, []);
  return useMemo(() => ({ ids, toggle, add, addAll, clear }), [ids, toggle, add, addAll, clear]);
}
