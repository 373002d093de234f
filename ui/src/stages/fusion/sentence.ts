import { xray } from '../../locales/en/xray';
import { LEGS, PART_OF, ranIn, stageOf, termOf } from '../../trace/model';
import type { StageContext } from '../context';

const t = xray.fusion;

/** The legs that fusion heard; both old ones are named even when one of them gave nothing. */
function heard(trace: StageContext['trace']) {
  const { constants } = trace;
  const isThird = ranIn(trace, 'sparse') && constants.sparse_weight > 0;
  return LEGS.filter((leg) => leg !== 'sparse' || isThird);
}

/** How many memories more than one leg gave points to; null where the trace does not tell. */
function shared(trace: StageContext['trace']): number | null {
  const stage = stageOf(trace, 'fusion');
  // A trace holds the first of a list only; of two lists, what came in twice went out once.
  if (stage.items.length < stage.out) {
    return heard(trace).length > 2 ? null : Math.max(0, stage.in - stage.out);
  }
  return stage.items.filter(
    ({ terms }) => LEGS.filter((leg) => (termOf(terms, PART_OF[leg]) ?? 0) > 0).length > 1,
  ).length;
}

/** The method with its constants, and how far the legs agree. */
export function fusionSentence({ trace }: StageContext): string {
  const { constants } = trace;
  if (stageOf(trace, 'fusion').items.length === 0) return t.nobody;
  const legs = heard(trace);
  const weights = legs.map((leg) => constants[`${leg}_weight`]);
  const method =
    constants.fusion === 'rrf'
      ? t.rrf(constants.rrf_k, weights)
      : t.convex(weights, constants.convex_bounds === 'theoretical');
  const lifted = stageOf(trace, 'fusion').items.filter(
    (item) => (termOf(item.terms, 'neighbour_part') ?? 0) > 0,
  ).length;
  const both = shared(trace);
  const said = both === null ? method : `${method}; ${t.both(both, legs.length)}`;
  return lifted === 0 ? said : `${said}; ${t.neighbours(lifted, constants.neighbour_share)}`;
}
