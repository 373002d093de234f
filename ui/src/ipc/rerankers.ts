/** The rerankers: which one is in use, and how the service stands. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { backend } from './backend';
import type { RerankersView } from './bindings';
import { keys } from './keys';

/** With `counting`, an open breaker is looked at every second, so that its seconds go down. */
export function useRerankers(counting: boolean) {
  return useQuery({
    queryKey: keys.rerankers,
    queryFn: () => backend().rerankers(),
    refetchInterval: (query) =>
      counting && query.state.data?.service?.breaker?.state === 'open' ? 1000 : false,
  });
}

function useChanged() {
  const client = useQueryClient();
  return (view: RerankersView) => {
    client.setQueryData(keys.rerankers, view);
    // The presets that ship with the program follow.
    void client.invalidateQueries({ queryKey: keys.settings });
    void client.invalidateQueries({ queryKey: keys.golden });
  };
}

/** Takes a reranker into use. */
export function useUseReranker() {
  return useMutation({
    mutationFn: (request: Parameters<ReturnType<typeof backend>['useReranker']>[0]) =>
      backend().useReranker(request),
    onSuccess: useChanged(),
  });
}

/** Forgets the service and its key. */
export function useForgetRemote() {
  return useMutation({
    mutationFn: () => backend().forgetRerankService(),
    onSuccess: useChanged(),
  });
}
