/** The results, best first: what matched, from whom, how old, with which score. */
import { memo, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { Button } from '../../components/Button';
import { Passage } from '../../components/Passage';
import { useSlots } from '../../components/slots';
import type { ForecastView, MemoryCard, MemoryUseView } from '../../ipc/bindings';
import { exact, score, title } from '../../locales/en/format';
import { xray } from '../../locales/en/xray';
import { isFocusLost } from '../../shell/focus';
import { isKey } from '../../shell/keyboard';
import { usePreferences } from '../../shell/preferences';
import { walkRows } from '../../stages/arrows';
import { pointing, useIsHot } from '../../trace/hover';
import { itemOf } from '../../trace/model';
import { openSource } from './editor';
import { gradeKey, type Judging, Star, useJudging } from './Grade';
import { UseMark } from './history/UseMark';
import { useUsage } from './history/usage';
import { Meta } from './Meta';
import { Narrowing } from './Narrowing';
import css from './ResultList.module.css';
import { EVERYTHING, shownResults } from './shown';
import { useXray, xrayStore } from './store';
import { span } from './time/forecast';

const t = xray.list;

const NONE: readonly string[] = [];

export function ResultList({ forecast = null }: { forecast?: ForecastView | null }) {
  const { view, cards, open, expected, frozen, narrowed } = useXray(
    'view',
    'cards',
    'open',
    'expected',
    'frozen',
    'narrowed',
  );
  const { conversationFirst } = usePreferences();
  const judging = useJudging(frozen ? undefined : view?.recall);
  const results = view?.trace.results ?? NONE;
  const usage = useUsage(frozen);
  const slots = useSlots(results);
  const box = useRef<HTMLDivElement>(null);
  const asked = view?.trace.query;
  const [unfolded, setUnfolded] = useState<readonly string[]>(NONE);
  // Another question is read from its first result on.
  useLayoutEffect(() => {
    if (asked === undefined) return;
    setUnfolded(NONE);
    box.current?.closest('[role="tabpanel"]')?.scrollTo?.({ top: 0 });
  }, [asked]);
  useFocusBack(box);
  const rows = useMemo(
    () =>
      shownResults(results, cards, {
        narrowed,
        conversationFirst,
        apart: expected === null ? unfolded : [...unfolded, expected],
      }),
    [results, cards, narrowed, conversationFirst, unfolded, expected],
  );
  if (!view) return null;
  if (results.length === 0) {
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
    <div ref={box} data-results>
      <Narrowing results={results} cards={cards} narrowed={narrowed} rows={rows} />
      {rows.length === 0 ? (
        <div className={css.nothing}>
          <p>{t.noneShown}</p>
          <Button onPress={() => xrayStore().set({ narrowed: EVERYTHING })}>{t.showAll}</Button>
        </div>
      ) : null}
      <ol className={css.list} aria-label={t.label} onKeyDown={walkRows}>
        {rows.map(({ id, place, alike }, index) => (
          <Row
            key={slots.get(id)}
            place={place}
            isFirst={index === 0}
            card={cards[id]}
            ends={itemOf(view.trace, 'select', id)?.score ?? null}
            unread={view.unscored > 0 && itemOf(view.trace, 'rerank', id)?.reranked === false}
            id={id}
            clock={view.trace.now}
            leaves={forecast?.memories[id]?.leaves_at ?? null}
            top={view.trace.constants.results}
            canJudge={frozen === null}
            use={usage.get(id)}
            isOpen={open === id}
            isExpected={expected === id}
            judging={judging}
            alike={alike.length}
            onUnfold={() => setUnfolded((held) => [...held, ...alike])}
          />
        ))}
      </ol>
    </div>
  );
}

/** Whoever comes back from a memory by keyboard stands where they left. */
function useFocusBack(box: React.RefObject<HTMLDivElement | null>) {
  useLayoutEffect(() => {
    const { left } = xrayStore().get();
    if (left === null) return;
    xrayStore().set({ left: null });
    const row = box.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(left)}"]`);
    if (isFocusLost()) row?.focus();
  }, [box]);
}

interface RowProps {
  id: string;
  place: number;
  /** The one that Tab reaches; arrows reach the others. */
  isFirst: boolean;
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
  /** What an agent's answer made of it. */
  use: MemoryUseView | undefined;
  isOpen: boolean;
  isExpected: boolean;
  judging: Judging;
  /** How many below it say the same but for figures. */
  alike: number;
  onUnfold: () => void;
}

/** Only a row that something happens to draws again, and of it only what changes. */
const Row = memo(function Row(props: RowProps) {
  const { id, place, card, ends, unread, isOpen, isExpected, judging } = props;
  const hot = useIsHot(id);
  return (
    <li
      className={css.item}
      onFocus={() => {
        xrayStore().row = id;
      }}
      onKeyDown={(event) => {
        const given = gradeKey(event);
        if (given !== null && props.canJudge) judging.give(id, given);
        else if (isKey(event, 'editor')) openSource(id);
        else if (isKey(event, 'expect') && props.canJudge) xrayStore().expect(id);
        else return;
        event.preventDefault();
      }}
    >
      <button
        type="button"
        data-row={id}
        tabIndex={props.isFirst ? 0 : -1}
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
        {props.use ? (
          <span className={css.use}>
            <UseMark use={props.use} />
          </span>
        ) : null}
        {isExpected ? <em className={css.expected}>{t.expectedIs}</em> : null}
        {unread ? <em className={css.unread}>{t.unread}</em> : null}
      </button>
      {props.alike > 0 ? (
        <button type="button" className={css.alike} title={t.alikeHelp} onClick={props.onUnfold}>
          {t.alike(props.alike)}
        </button>
      ) : null}
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
