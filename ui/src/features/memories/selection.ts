import { useCallback, useMemo, useState } from 'react';

/** Which memories the bar's actions will touch. */
export interface Selection {
  ids: ReadonlySet<string>;
  toggle: (id: string) => void;
  add: (ids: readonly (string | undefined)[]) => void;
  clear: () => void;
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
  return useMemo(() => ({ ids, toggle, add, clear }), [ids, toggle, add, clear]);
}
