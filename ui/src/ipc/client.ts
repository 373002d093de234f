import { QueryCache, QueryClient } from '@tanstack/react-query';
import { EdgeFailure } from './backend';
import { keys } from './keys';

/** The cache of server state, set up for a core that lives in the same program. */
export function createClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError: (error) => {
        // Whoever hears first that the vault is locked tells everyone.
        if (error instanceof EdgeFailure && error.edge.code === 'locked') {
          void client.invalidateQueries({ queryKey: keys.status });
        }
      },
    }),
    defaultOptions: {
      queries: {
        // The core answers at once or says why not, and its notices tell when something changed.
        retry: false,
        staleTime: Number.POSITIVE_INFINITY,
        refetchOnWindowFocus: false,
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  });
  return client;
}
