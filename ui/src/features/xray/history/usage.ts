/** What an agent's answer made of the memories that a past question gave it. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { backend } from '../../../ipc/backend';
import type { MemoryUseView, StoredTraceView } from '../../../ipc/bindings';
import { keys } from '../../../ipc/keys';
import { xray } from '../../../locales/en/xray';

const t = xray.history.usage;

/** How often an open question looks whether more of the answer has been read, in milliseconds. */
const LOOK_AGAIN_MS = 3000;

const NOTHING: ReadonlyMap<string, MemoryUseView> = new Map();

/** By memory; empty for what a person asked. */
export function useUsage(stored: StoredTraceView | null): ReadonlyMap<string, MemoryUseView> {
  const usage = useQuery({
    queryKey: keys.usage(stored?.id ?? ''),
    queryFn: () => backend().usage(stored?.id ?? ''),
    enabled: stored !== null && stored.channel !== 'window',
    staleTime: 0,
    refetchInterval: LOOK_AGAIN_MS,
  });
  const memories = usage.data?.memories;
  return useMemo(
    () => (stored && memories ? new Map(memories.map((one) => [one.id, one])) : NOTHING),
    [stored, memories],
  );
}

/** The evidence in sentences, what says most first. */
export function evidence(use: MemoryUseView): string[] {
  const said = [
    use.names.length > 0 ? t.names(use.names) : '',
    use.clash ? t.clash(use.clash.key, use.clash.said, use.clash.remembered) : '',
    use.words.length > 0 ? t.words(use.words, use.rare, use.rare_and_more) : '',
    t.why[use.verdict],
    use.after_seconds === null ? '' : t.later(use.after_seconds),
  ];
  return said.filter((sentence) => sentence !== '');
}
