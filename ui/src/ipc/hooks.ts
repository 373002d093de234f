/** Server state: what the window asks the core for, cached under {@link keys}. */
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';
import { backend } from './backend';
import type { Notice, StatusView } from './bindings';
import { useGently } from './gently';
import { keys } from './keys';

/** The state of everything; notices and commands refresh it. */
export function useStatus() {
  const client = useQueryClient();
  return useQuery({
    queryKey: keys.status,
    queryFn: async () => {
      const next = await backend().status();
      // It is open again in a moment: what was known of it stands until then.
      if (next.vault !== 'at_work') return next;
      return client.getQueryData<StatusView>(keys.status) ?? next;
    },
  });
}

/** Whether a key slot is the system keychain's, and how that answers. */
export function useKeychain() {
  return useQuery({
    queryKey: keys.keychain,
    queryFn: () => backend().keychain(),
    // It is locked and unlocked elsewhere, without a notice.
    staleTime: 0,
  });
}

/** What one can filter by, with counts. */
export function useFacets() {
  return useQuery({ queryKey: keys.facets, queryFn: () => backend().facets() });
}

/** One memory in full; with `recall`, what matched that query is marked. */
export function useMemory(id: string | null, recall: string | null = null) {
  return useQuery({
    queryKey: keys.memory(id ?? '', recall),
    queryFn: () => backend().getMemory(id ?? '', recall),
    enabled: id !== null,
    placeholderData: (held) => (held?.card.id === id ? held : undefined),
  });
}

/** The conversations, the one that was active last first. */
export function useSessions() {
  return useQuery({ queryKey: keys.sessions, queryFn: () => backend().sessions() });
}

/** The conversation that a memory is a part of. */
export function useSession(id: string | null) {
  return useQuery({
    queryKey: keys.conversation(id ?? ''),
    queryFn: () => backend().session(id ?? ''),
    enabled: id !== null,
  });
}

/** The watched folders. */
export function useSources() {
  return useQuery({ queryKey: keys.sources, queryFn: () => backend().sources() });
}

/** The agents' folders found on this machine. */
export function useFolderOffers() {
  return useQuery({ queryKey: keys.folders, queryFn: () => backend().discoverFolders() });
}

/** Settings and presets. */
export function useSettings() {
  return useQuery({ queryKey: keys.settings, queryFn: () => backend().settings() });
}

/** Changes settings; the answer replaces the cached ones. */
export function useSaveSettings() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (request: Parameters<ReturnType<typeof backend>['saveSettings']>[0]) =>
      backend().saveSettings(request),
    onSuccess: (settings) => {
      client.setQueryData(keys.settings, settings);
      void client.invalidateQueries({ queryKey: keys.status });
    },
  });
}

/** Queries to try on the demo memory. */
export function useDemoGuide(enabled: boolean) {
  return useQuery({ queryKey: keys.guide, queryFn: () => backend().demoGuide(), enabled });
}

/** Calls back for every notice while mounted. */
export function useOnNotice(callback: (notice: Notice) => void) {
  const held = useRef(callback);
  held.current = callback;
  useEffect(() => backend().onNotice((notice) => held.current(notice)), []);
}

/** Takes everything that was read from an open vault out of the window. */
function forget(client: QueryClient): void {
  client.removeQueries({ predicate: (query) => query.queryKey[0] !== keys.status[0] });
  client.getMutationCache().clear();
}

/** Asks anew for everything that was read; only what a check of the vault said stands. */
function readAnew(client: QueryClient): void {
  const read = ({ queryKey }: { queryKey: readonly unknown[] }) => queryKey[0] !== keys.health[0];
  client.removeQueries({ predicate: read, type: 'inactive' });
  void client.invalidateQueries({ predicate: read });
}

/** Closes the vault. Rejects when it could not be closed. */
export function useLock(): () => Promise<void> {
  const client = useQueryClient();
  return useCallback(async () => {
    const status = await backend().lock();
    forget(client);
    client.setQueryData(keys.status, status);
  }, [client]);
}

/** What a flood of new memories may refresh at most four times a second. */
const PAUSE = 250;

/** What searches or counts the whole vault anew when memories come in is asked seldom. */
const SEARCHING_PAUSE = 3000;

/**
 * Turns notices into refreshed caches. Mounted once, at the root.
 *
 * Notices carry counts, never rows: the window asks again for the pages it shows.
 */
export function useNotices() {
  const client = useQueryClient();
  const refresh = (queryKey: readonly unknown[]) => void client.invalidateQueries({ queryKey });
  const status = useGently(() => refresh(keys.status), PAUSE);
  const sources = useGently(() => refresh(keys.sources), PAUSE);
  const seldom = useGently(() => {
    refresh(keys.golden);
    refresh(keys.sessions);
    refresh(keys.conversations);
  }, SEARCHING_PAUSE);
  const memories = useGently(() => {
    // The list itself decides when to show new rows; elsewhere it is only marked as old.
    void client.invalidateQueries({ queryKey: keys.lists, refetchType: 'none' });
    refresh(keys.ones);
    refresh(keys.facets);
    seldom();
  }, PAUSE);

  useOnNotice((notice) => {
    switch (notice.type) {
      case 'memories':
        memories();
        status();
        if (notice.added > 0) sources();
        break;
      case 'embedded':
      case 'model':
        status();
        break;
      case 'progress':
        sources();
        if (notice.finished) status();
        break;
      case 'sources':
        sources();
        status();
        refresh(keys.folders);
        break;
      case 'locked':
        forget(client);
        refresh(keys.status);
        break;
      case 'reopened':
        readAnew(client);
        break;
    }
  });
}
