/** Judged queries as server state: grades, golden queries, and what they say of constants. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { backend } from './backend';
import type { Constants, MeasureView } from './bindings';
import { keys } from './keys';
import { useLatest } from './latest';

/** The grades given for a query so far. */
export function useGrades(recall: string | undefined) {
  return useQuery({
    queryKey: keys.grades(recall ?? ''),
    queryFn: () => backend().grades(recall ?? ''),
    enabled: recall !== undefined,
    retry: false,
  });
}

/** Says how well a memory answers a query; a grade of null takes the judgement back. */
export function useJudge(onError: (error: unknown) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (request: { recall: string; id: string; grade: number | null }) =>
      backend().judge(request),
    onSuccess: (grades, { recall }) => {
      client.setQueryData(keys.grades(recall), grades);
      void client.invalidateQueries({ queryKey: keys.golden });
      // Verdicts tell what their fixes would do to golden queries.
      void client.invalidateQueries({ queryKey: ['why'] });
    },
    onError,
  });
}

/** The golden queries, oldest first. */
export function useGoldenQueries() {
  return useQuery({ queryKey: keys.goldenList, queryFn: () => backend().goldenQueries() });
}

/** Forgets a golden query with its judgements. */
export function useDeleteGoldenQuery(onError: (error: unknown) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => backend().deleteGoldenQuery(id),
    onSuccess: () => void client.invalidateQueries({ queryKey: keys.golden }),
    onError,
  });
}

/** How long constants rest before the reranker reads what it has not seen. */
const REST_MS = 240;

/**
 * Scores of the golden queries under moving constants: one question runs at a time and the newest
 * waits, so that a fast hand never builds a queue. When the constants rest, the reranker reads, and
 * goes on as long as that leaves less unread.
 */
export function useMeasure(constants: Constants | null, now: string | null): MeasureView | null {
  const golden = useGoldenQueries();
  const count = golden.data?.length ?? 0;
  const { data, run, set } = useLatest(backend().measure, 'queue');
  const left = useRef(Number.POSITIVE_INFINITY);
  const version = golden.dataUpdatedAt;

  // biome-ignore lint/correctness/useExhaustiveDependencies: every new list of golden queries is measured anew.
  useEffect(() => {
    left.current = Number.POSITIVE_INFINITY;
    if (constants === null || count === 0) {
      set(null);
      return;
    }
    run({ constants, now, score_unseen: false });
  }, [constants, now, count, version, run, set]);

  useEffect(() => {
    if (constants === null || data === null || data.unread === 0) return;
    if (data.unread >= left.current) return;
    const timer = setTimeout(() => {
      left.current = data.unread;
      run({ constants, now, score_unseen: true });
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [constants, now, data, run]);

  return count === 0 ? null : data;
}
