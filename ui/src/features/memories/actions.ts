/** What can be done to memories, each with its news and its way back. */
import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { failed } from '../../components/failure';
import { toast } from '../../components/Toast';
import { backend } from '../../ipc/backend';
import type {
  AddedView,
  AddRequest,
  EditRequest,
  MemoryView,
  MergeRequest,
} from '../../ipc/bindings';
import { keys } from '../../ipc/keys';
import { text } from '../../locales/en';

export interface MemoryActions {
  remove: (ids: string[]) => Promise<void>;
  restore: (ids: string[]) => Promise<void>;
  purge: (ids: string[]) => Promise<void>;
  /** Rejects when the core refuses. */
  add: (request: AddRequest) => Promise<AddedView>;
  /** Rejects when the core refuses, so that an editor can keep its text. */
  edit: (request: EditRequest) => Promise<MemoryView>;
  /** Rejects as well. */
  merge: (request: MergeRequest) => Promise<MemoryView>;
}

export function useMemoryActions(): MemoryActions {
  const client = useQueryClient();
  return useMemo(() => {
    const words = text.memories;
    const refresh = () => {
      void client.invalidateQueries({ queryKey: keys.memories });
      void client.invalidateQueries({ queryKey: keys.facets });
      void client.invalidateQueries({ queryKey: keys.status });
    };
    const attempt = async (work: () => Promise<void>) => {
      try {
        await work();
      } catch (error) {
        failed(error);
      }
      refresh();
    };
    const restore = (ids: string[]) =>
      attempt(async () => {
        toast(words.restored(await backend().restoreMemories(ids)));
      });
    const change = async <T>(work: Promise<T>) => {
      try {
        return await work;
      } finally {
        refresh();
      }
    };
    return {
      restore,
      remove: (ids) =>
        attempt(async () => {
          const count = await backend().deleteMemories(ids);
          // Restoring these very ids is right even when something else was changed meanwhile.
          toast(words.deleted(count), { undo: () => void restore(ids) });
        }),
      purge: (ids) =>
        attempt(async () => {
          toast(words.purged(await backend().purgeMemories(ids)));
        }),
      add: (request) => change(backend().addMemory(request)),
      edit: (request) => change(backend().editMemory(request)),
      merge: (request) => change(backend().mergeMemories(request)),
    };
  }, [client]);
}
