/** The results, best first: what matched, from whom, how old, with which score. */
import { memo, useLayoutEffect, useRef } from 'react';
import { Button } from '../../components/Button';
import { Passage } from '../../components/Passage';
import { useSlots } from '../../components/slots';
import type { ForecastView, MemoryCard } from '../../ipc/bindings';
import { age, ageAt, exact, score, title } from '../../locales/en/format';
import { xray } from '../../locales/en/xray';
import { walkRows } from '../../stages/arrows';
import { pointing, useIsHot } from '../../trace/hover';
import { itemOf } from '../../trace/model';
import { gradeKey, type Judging, Star, useJudging } from './Grade';
import css from './ResultList.module.css';
import { useXray, xrayStore } from './store';
import { span } from './time/forecast';

const t = xray.list;

const NONE: readonly string[] = [];

export function ResultList({ forecast = null }: { forecast?: ForecastView | null }) {
  const { view, cards, open, expected, frozen } = useXray(
    'view',
    'cards',
    'open',
    'expected',
    'frozen',
  );
  const judging = useJudging(frozen ? undefined : view?.recall);
  const slots = useSlots(view?.trace.results ?? NONE);
  const list = useRef<HTMLOListElement>(null);
  const asked = view?.trace.query;
  // Another question is read from its first result on.
  useLayoutEffect(() => {
    if (asked !== undefined) list.current?.closest('[role="tabpanel"]')?.scrollTo?.({ top: 0 });
  }, [asked]);
  if (!view) return null;
  if (view.trace.results.length === 0) {
    return (
      <div className={css.nothing}>
        <p>{xray.noResult.hint}</p>
        {frozen ? null : (
          <Button onPress={() => xrayStore().set({ tab: 'verdict' })}>{xray.noResult.find}</Button>
        )}
      </div>
    );
  }
  return (
    <ol ref={list} className={css.list} aria-label={t.label} onKeyDown={walkRows}>
      {view.trace.results.map((id, index) => (
        <Row
          key={slots.get(id)}
          place={index + 1}
          card={cards[id]}
          ends={itemOf(view.trace, 'select', id)?.score ?? null}
          unread={view.unscored > 0 && itemOf(view.trace, 'rerank', id)?.reranked === false}
          id={id}
          clock={view.trace.now}
          leaves={forecast?.memories[id]?.leaves_at ?? null}
          top={view.trace.constants.results}
          canJudge={frozen === null}
          isOpen={open === id}
          isExpected={expected === id}
          judging={judging}
        />
      ))}
    </ol>
  );
}

interface RowProps {
  id: string;
  place: number;
  card: MemoryCard | undefined;
  /** Its score in the end. */
  ends: number | null;
  unread: boolean;
  /** The clock that ages are counted back from. */
  clock: string;
  /** When it stops being a result, if time alone makes it. */
  leaves: string | null;
  top: number;
  canJudge: boolean;
  isOpen: boolean;
  isExpected: boolean;
  judging: Judging;
}

/** Only a row that something happens to draws again, and of it only what changes. */
const Row = memo(function Row(props: RowProps) {
  const { id, place, card, ends, unread, isOpen, isExpected, judging } = props;
  const hot = useIsHot(id);
  return (
    <li
      className={css.item}
      onKeyDown={(event) => {
        const given = gradeKey(event);
        if (given !== null && props.canJudge) judging.give(id, given);
      }}
    >
      <button
        type="button"
        data-row
        tabIndex={place === 1 ? 0 : -1}
        className={css.row}
        data-hot={hot || undefined}
        data-open={isOpen || undefined}
        data-expected={isExpected || undefined}
        onClick={() => xrayStore().openMemory(id)}
        {...pointing(id)}
      >
        <span className={css.place}>{place}</span>
        <span className={css.snippet}>{card ? <Passage card={card} /> : id}</span>
        <span className={css.score} title={ends === null ? undefined : exact(ends)}>
          {ends === null ? '' : score(ends)}
        </span>
        <span className={css.meta} data-short={props.leaves !== null || undefined}>
          {card ? <Meta card={card} clock={props.clock} /> : null}
        </span>
        {props.leaves ? <Leaves clock={props.clock} at={props.leaves} top={props.top} /> : null}
        {isExpected ? <em className={css.expected}>{t.expectedIs}</em> : null}
        {unread ? <em className={css.unread}>{t.unread}</em> : null}
      </button>
      {props.canJudge ? (
        <span className={css.star}>
          <Star
            id={id}
            name={title(card?.snippet ?? id)}
            grade={judging.gradeOf(id)}
            judging={judging}
          />
        </span>
      ) : null}
    </li>
  );
});

/** When it falls out of the list by age alone. */
function Leaves({ clock, at, top }: { clock: string; at: string; top: number }) {
  const left = span(clock, at);
  const words = xray.time.shortName(top, xray.time.in(left));
  return (
    <b className={css.leaves} title={words}>
      <span aria-hidden="true">{xray.time.short(left)}</span>
      <span className="visually-hidden">, {words}</span>
    </b>
  );
}

/** Who, what, how old, from where; and the marks that change how a memory is treated. */
export const Meta = memo(function Meta(props: { card: MemoryCard; clock?: string | undefined }) {
  const { card, clock } = props;
  const facts = [card.agent, card.kind === 'text' ? card.role : card.kind.replaceAll('_', ' ')];
  const days = ageAt(card, clock);
  if (days !== null) facts.push(age(days));
  if (card.source) facts.push(card.source);
  return (
    <>
      {facts.join(' · ')}
      {card.pinned ? <b> · {t.pinned}</b> : null}
      {card.trust === 'flagged' ? <b className={css.flagged}> · {t.flagged}</b> : null}
    </>
  );
});
