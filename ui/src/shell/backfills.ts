import { useState } from 'react';
import { useOnNotice } from '../ipc/hooks';

/** How far the first reading of a source is. */
export interface Backfill {
  done: number;
  total: number;
  stored: number;
}

/** The backfills under way, by source. */
export function useBackfills(): ReadonlyMap<string, Backfill> {
  const [running, setRunning] = useState<ReadonlyMap<string, Backfill>>(new Map());
  useOnNotice((notice) => {
    if (notice.type !== 'progress') return;
    setRunning((now) => {
      const next = new Map(now);
      if (notice.finished) next.delete(notice.source);
      else {
        next.set(notice.source, {
          done: notice.files_done,
          total: notice.files_total,
          stored: notice.stored,
        });
      }
      return next;
    });
  });
  return running;
}
