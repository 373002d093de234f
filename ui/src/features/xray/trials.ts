/** Settings that are no number, each tried alone on the lists that stand; asking changes nothing. */
import { useQuery } from '@tanstack/react-query';
import { backend } from '../../ipc/backend';
import type { Constants, PresetView, QueryView, RerankersView } from '../../ipc/bindings';
import { keys } from '../../ipc/keys';
import { sameConstants } from '../../words/constants';
import { useRestingRequest } from './QueryEdits';

/** A setting that was tried and brings the memory in. */
export type Trial =
  | { kind: 'constant'; name: keyof Constants; value: Constants[keyof Constants] }
  | { kind: 'preset'; preset: PresetView };

interface Tried {
  trial: Trial;
  constants: Constants;
}

/** The other rerankers that are there to be used. */
function rerankersBeside(current: Constants['rerank'], there: RerankersView): string[] {
  return [
    'embedded',
    ...(there.cross_encoder ? ['cross_encoder'] : []),
    ...(there.service ? ['http'] : []),
  ].filter((name) => name !== current);
}

/** What is tried, in the order in which it is offered: the smaller change first. */
export function candidates(
  constants: Constants,
  there: RerankersView,
  presets: readonly PresetView[],
): Tried[] {
  const alone = <K extends keyof Constants>(name: K, value: Constants[K]): Tried => ({
    trial: { kind: 'constant', name, value },
    constants: { ...constants, [name]: value },
  });
  const other = constants.fusion === 'rrf' ? 'convex' : 'rrf';
  return [
    ...rerankersBeside(constants.rerank, there).map((name) =>
      alone('rerank', name as Constants['rerank']),
    ),
    alone('fusion', other),
    ...(constants.dedup ? [alone('dedup', false)] : []),
    ...(constants.mmr ? [alone('mmr', false)] : []),
    ...presets
      .filter((preset) => !sameConstants(preset.constants, constants))
      .map((preset): Tried => ({ trial: { kind: 'preset', preset }, constants: preset.constants })),
  ];
}

/** The first setting that brings the memory in; null when none does. */
async function firstThatHelps(view: QueryView, expected: string): Promise<Trial | null> {
  const core = backend();
  const [there, { presets }] = await Promise.all([core.rerankers(), core.settings()]);
  const { constants, now } = view.trace;
  for (const tried of candidates(constants, there, presets)) {
    const request = { recall: view.recall, expected, constants: tried.constants, now };
    if ((await core.why(request)).in_results) return tried.trial;
  }
  return null;
}

/**
 * The smallest pair of constants that does it, where none does alone; asked once the answer has stood
 * still.
 */
export function usePair(view: QueryView, expected: string) {
  const { request, isResting } = useRestingRequest(view, expected);
  return useQuery({
    queryKey: keys.why(request.recall, ['pair', request]),
    queryFn: () => backend().pairFix(request),
    enabled: isResting,
    retry: false,
    gcTime: 30_000,
  });
}

/** Asked only where neither a constant nor another question helps: it costs a verdict per setting. */
export function useTrial(view: QueryView, expected: string, isNeeded: boolean) {
  return useQuery({
    queryKey: keys.why(view.recall, ['trial', expected, view.trace.constants, view.trace.now]),
    queryFn: () => firstThatHelps(view, expected),
    enabled: isNeeded,
    retry: false,
    gcTime: 30_000,
  });
}
