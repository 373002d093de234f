/** The results, best first: what matched, from whom, how old, with which score. */
import { Button } from '../../components/Button';
import { Highlighted } from '../../components/Highlighted';
import type { MemoryCard, StageItem } from '../../ipc/types';
import { xray } from '../../locales/en/xray';
import { walkRows } from '../../stages/arrows';
import { age, exact, score, title } from './format';
import { gradeKey, Star, useJudging } from './Grade';
import { pointing, useIsHot } from './hover';
import { itemOf } from './model';
import css from './ResultList.module.css';
import { useXray, xrayStore } from './store';

const t = xray.list;

export function ResultList() {
  const { view, cards, open, expected } = useXray('view', 'cards', 'open', 'expected');
  const judging = useJudging(view?.recall);
  if (!view) return null;
  if (view.trace.results.length === 0) {
    return (
      <div className={css.nothing}>
        <p>{xray.noResult.hint}</p>
        <Button onPress={() => xrayStore().set({ tab: 'verdict' })}>{xray.noResult.find}</Button>
      </div>
    );
  }
  return (
    <ol className={css.list} aria-label={t.label} onKeyDown={walkRows}>
      {view.trace.results.map((id, index) => (
        <Row
          key={id}
          place={index + 1}
          card={cards[id]}
          item={itemOf(view.trace, 'select', id)}
          unread={view.unscored > 0 && itemOf(view.trace, 'rerank', id)?.reranked === false}
          id={id}
          isOpen={open === id}
          isExpected={expected === id}
          grade={judging.gradeOf(id)}
          onGive={(grade) => judging.give(id, grade)}
          onTakeBack={() => judging.takeBack(id)}
        />
      ))}
    </ol>
  );
}

interface RowProps {
  id: string;
  place: number;
  card: MemoryCard | undefined;
  item: StageItem | undefined;
  unread: boolean;
  isOpen: boolean;
  isExpected: boolean;
  grade: number | null;
  onGive: (grade: number) => void;
  onTakeBack: () => void;
}

function Row(props: RowProps) {
  const { id, place, card, item, unread, isOpen, isExpected, grade } = props;
  const hot = useIsHot(id);
  return (
    <li
      className={css.item}
      onKeyDown={(event) => {
        const given = gradeKey(event);
        if (given !== null) props.onGive(given);
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
        <span className={css.snippet}>
          {card ? <Highlighted text={card.snippet} marks={card.highlights} /> : id}
        </span>
        <span className={css.score} title={item ? exact(item.score) : undefined}>
          {item ? score(item.score) : ''}
        </span>
        <span className={css.meta}>{card ? <Meta card={card} /> : null}</span>
        {isExpected ? <em className={css.expected}>{t.expectedIs}</em> : null}
        {unread ? <em className={css.unread}>{t.unread}</em> : null}
      </button>
      <span className={css.star}>
        <Star
          name={title(card?.snippet ?? id)}
          grade={grade}
          onGive={props.onGive}
          onTakeBack={props.onTakeBack}
        />
      </span>
    </li>
  );
}

/** Who, what, how old, from where; and the marks that change how a memory is treated. */
export function Meta({ card }: { card: MemoryCard }) {
  const facts = [card.agent, card.kind === 'text' ? card.role : card.kind.replaceAll('_', ' ')];
  if (card.age_days !== null) facts.push(age(card.age_days));
  if (card.source) facts.push(card.source);
  return (
    <>
      {facts.join(' · ')}
      {card.pinned ? <b> · {t.pinned}</b> : null}
      {card.trust === 'flagged' ? <b className={css.flagged}> · {t.flagged}</b> : null}
    </>
  );
}
