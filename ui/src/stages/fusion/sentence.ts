import { xray } from '../../locales/en/xray';
import { stageOf, termOf } from '../../trace/model';
import type { StageContext } from '../context';

const t = xray.fusion;

/** How many memories both legs gave points to. */
export function inBoth(trace: StageContext['trace']): number {
  const stage = stageOf(trace, 'fusion');
  // A trace holds the first of a list only; what came in twice went out once.
  if (stage.items.length < stage.out) return Math.max(0, stage.in - stage.out);
  return stage.items.filter(
    (item) =>
      (termOf(item.terms, 'knn_part') ?? 0) > 0 && (termOf(item.terms, 'bm25_part') ?? 0) > 0,
  ).length;
}

/** The method with its constants, and how far the legs agree. */
export function fusionSentence({ trace }: StageContext): string {
  const { constants } = trace;
  if (stageOf(trace, 'fusion').items.length === 0) return t.nobody;
  const method =
    constants.fusion === 'rrf'
      ? t.rrf(constants.rrf_k, constants.knn_weight, constants.bm25_weight)
      : t.convex(
          constants.knn_weight,
          constants.bm25_weight,
          constants.convex_bounds === 'theoretical',
        );
  const lifted = stageOf(trace, 'fusion').items.filter(
    (item) => (termOf(item.terms, 'neighbour_part') ?? 0) > 0,
  ).length;
  const said = `${method}; ${t.both(inBoth(trace))}`;
  return lifted === 0 ? said : `${said}; ${t.neighbours(lifted, constants.neighbour_share)}`;
}
