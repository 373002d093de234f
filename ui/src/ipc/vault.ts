/** What opens the vault, its health, and what lies on the disk. */
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { backend } from './backend';
import type { HealthView, KeySlotView } from './bindings';
import { keys } from './keys';

/** What opens the person's vault. */
export function useKeySlots(enabled: boolean) {
  return useQuery({ queryKey: keys.slots, queryFn: () => backend().keySlots(), enabled });
}

/** Keeps the slots that a change of them answered. */
export function useKeepSlots(): (slots: KeySlotView[]) => void {
  const client = useQueryClient();
  return (slots) => client.setQueryData(keys.slots, slots);
}

/** What a check found, and when. */
export interface Checked {
  health: HealthView;
  at: string;
}

/** The last check of the vault; `refetch` makes another. */
export function useCheck() {
  return useQuery({
    queryKey: keys.health,
    queryFn: async (): Promise<Checked> => checked(await backend().checkVault()),
    enabled: false,
    // It stands until the vault is closed or checked again.
    gcTime: Number.POSITIVE_INFINITY,
  });
}

function checked(health: HealthView): Checked {
  return { health, at: new Date().toISOString() };
}

/** Keeps what a repair answered as the last check. */
export function keepHealth(client: QueryClient, health: HealthView): void {
  client.setQueryData(keys.health, checked(health));
}

/** The vault's files and how they begin. */
export function useFilesOnDisk() {
  return useQuery({
    queryKey: keys.filesOnDisk,
    queryFn: () => backend().filesOnDisk(),
    // Every write changes them, and nothing tells.
    staleTime: 0,
  });
}

/** How long what takes the space is believed: telling it costs a look at every page. */
const BELIEVED_MS = 60_000;

/** What takes the space of the database. */
export function useStorage() {
  return useQuery({
    queryKey: keys.storage,
    queryFn: () => backend().storage(),
    staleTime: BELIEVED_MS,
  });
}
