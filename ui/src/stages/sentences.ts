/** One sentence per stage, generated from the trace: what it did to this query. */

import type { Stage } from '../ipc/bindings';
import { xray } from '../locales/en/xray';
import { stageOf } from '../trace/model';
import { bm25Sentence } from './bm25/sentence';
import type { StageContext } from './context';
import { decaySentence } from './decay/sentence';
import { fusionSentence } from './fusion/sentence';
import { knnSentence } from './knn/sentence';
import { lostStage, placeAtGate } from './lost';
import { rerankSentence } from './rerank/sentence';
import { routeSentence } from './route/sentence';
import { selectSentence } from './select/sentence';
import { sparseSentence } from './sparse/sentence';

const SENTENCES: Record<Stage, (context: StageContext) => string> = {
  route: routeSentence,
  knn: knnSentence,
  bm25: bm25Sentence,
  sparse: sparseSentence,
  fusion: fusionSentence,
  decay: decaySentence,
  rerank: rerankSentence,
  select: selectSentence,
};

/** A stage that did not run as intended says why instead; a degraded one says both. */
export function stageSentence(stage: Stage, context: StageContext): string {
  const { status, reason } = stageOf(context.trace, stage);
  if (status === 'skipped' || status === 'failed') return reason ?? xray.stages.status[status];
  const lost = lostStage(context.verdict) === stage ? context.verdict : null;
  const place = lost && placeAtGate(context.trace, lost, lost.lost_at ?? stage);
  // Where it was lost comes first, and in the words that the verdict and the chart use.
  const sentence = place
    ? `${xray.lost.card(place)}; ${SENTENCES[stage]({ ...context, verdict: null })}`
    : SENTENCES[stage](context);
  return status === 'degraded' && reason ? `${reason}; ${sentence}` : sentence;
}

/** What came in and what went on: "41,872 → 40", "11 → 5 terms asked". */
export function throughput(
  stage: Stage,
  context: StageContext,
  count: (n: number) => string,
): string {
  const part = stageOf(context.trace, stage);
  const out = stage === 'route' ? xray.stages.asked(part.out) : count(part.out);
  return `${count(part.in)} → ${out}`;
}
