/** One stage at a glance: name, time, what it did in a sentence, how many came in and went on. */

import type { Stage } from '../ipc/bindings';
import { count, duration } from '../locales/en/format';
import { xray } from '../locales/en/xray';
import { stageOf } from '../trace/model';
import type { StageContext } from './context';
import { Breaker } from './rerank/Breaker';
import css from './StageCard.module.css';
import { stageSentence, throughput } from './sentences';

const t = xray.stages;
const GLYPH = { ok: '', skipped: '–', degraded: '!', failed: '✕' } as const;

export interface StageCardProps {
  stage: Stage;
  /** Nothing yet: the card says what the stage will do. */
  context: StageContext | null;
  isOpen: boolean;
  /** The expected memory was lost here. */
  isLost: boolean;
  onPress: () => void;
  /** The group it stands in is one stop of Tab. */
  stop?: { tabIndex: number; onFocus: () => void };
}

export function StageCard({ stage, context, isOpen, isLost, onPress, stop }: StageCardProps) {
  const part = context && stageOf(context.trace, stage);
  const status = part?.status ?? 'ok';
  const sentence = context ? stageSentence(stage, context) : t.meaning[stage];
  return (
    <button
      type="button"
      className={css.card}
      data-stage={stage}
      data-status={status}
      data-lost={isLost || undefined}
      data-idle={context ? undefined : ''}
      aria-pressed={isOpen}
      disabled={!context}
      title={sentence}
      onClick={onPress}
      {...stop}
    >
      <span className={css.head}>
        <b>{t.names[stage]}</b>
        {status !== 'ok' ? (
          <em>
            <span aria-hidden="true">{GLYPH[status]}</span> {t.status[status]}
          </em>
        ) : isLost ? (
          <em>
            <span aria-hidden="true">✕</span> {t.lostHere}
          </em>
        ) : null}
        {part ? <time>{duration(part.elapsed_ms)}</time> : null}
      </span>
      <span className={css.sentence}>{sentence}</span>
      {stage === 'rerank' && context?.trace.constants.rerank === 'http' ? (
        <Breaker />
      ) : (
        <span className={css.through}>
          {context ? throughput(stage, context, count) : t.waiting}
        </span>
      )}
    </button>
  );
}
