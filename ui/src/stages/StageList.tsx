/** A stage's ranked list, narrow (one of eight columns) or wide (with every number it is made of). */
import { memo } from 'react';
import { CopyNumber } from '../components/CopyNumber';
import type { Stage, StageItem, StageTrace, TermName } from '../ipc/bindings';
import { age, exact, score } from '../locales/en/format';
import { named, xray } from '../locales/en/xray';
import { pointing, useIsHot } from '../trace/hover';
import { isBelowWindow, termOf } from '../trace/model';
import { walkRows } from './arrows';
import { STAGE_TERMS } from './parts';
import css from './StageList.module.css';

const t = xray.stages;

export interface StageListProps {
  stage: StageTrace;
  expected: string | null;
  open: string | null;
  nameOf: (id: string) => string;
  onOpen: (id: string) => void;
}

/** One column of the Debug view. */
export function StageColumn(props: StageListProps) {
  const { stage, expected, open, nameOf, onOpen } = props;
  const firstCut = stage.items.findIndex((item) => item.dropped === 'cutoff');
  return (
    <ol className={css.column} aria-label={t.list(t.names[stage.name])} onKeyDown={walkRows}>
      {stage.items.map((item, index) => (
        <ColumnRow
          key={item.id}
          id={item.id}
          rank={item.rank}
          score={item.score}
          name={nameOf(item.id)}
          brief={briefTerms(stage.name, item)}
          note={noteOf(item, stage.name)}
          all={allTerms(stage.name, item)}
          isFirst={index === 0}
          isCut={index === firstCut}
          isDropped={item.dropped !== null}
          isOpen={open === item.id}
          isExpected={expected === item.id}
          onOpen={onOpen}
        />
      ))}
    </ol>
  );
}

interface RowProps {
  id: string;
  rank: number;
  score: number;
  name: string;
  /** What the score is made of, short enough for a column. */
  brief: string;
  /** Why it went no further, or that the reranker has not read it. */
  note: string;
  /** Every number, unrounded. */
  all: string;
  isFirst: boolean;
  isCut: boolean;
  isDropped: boolean;
  isOpen: boolean;
  isExpected: boolean;
  onOpen: (id: string) => void;
}

/** Only rows that changed draw again: eight lists of 120 follow a moving slider. */
const ColumnRow = memo(function ColumnRow(props: RowProps) {
  const { id, name, brief, note } = props;
  const hot = useIsHot(id);
  return (
    <li data-cut={props.isCut || undefined}>
      <button
        type="button"
        data-row
        tabIndex={props.isFirst ? 0 : -1}
        className={css.row}
        data-hot={hot || undefined}
        data-open={props.isOpen || undefined}
        data-expected={props.isExpected || undefined}
        data-dropped={props.isDropped || undefined}
        title={`${name}\n${props.all}`}
        onClick={() => props.onOpen(id)}
        {...pointing(id)}
      >
        <span className={css.rank}>{props.rank}</span>
        <span className={css.name}>{name}</span>
        <span className={css.figures}>
          <b>{score(props.score)}</b>
          {note ? <em>{note}</em> : <span>{brief}</span>}
        </span>
      </button>
    </li>
  );
});

/** The parts of a score in a few characters. */
export function briefTerms(stage: Stage, item: StageItem): string {
  const value = (name: TermName) => termOf(item.terms, name);
  const [knn, bm25, sparse, factor, days, reranker] = (
    ['knn_part', 'bm25_part', 'sparse_part', 'decay_factor', 'age_days', 'reranker'] as const
  ).map(value);
  const lifts = value('authority_factor');
  if (stage === 'fusion') {
    // Without the leading zero the parts fit beside the sum.
    return [knn, bm25, ...(sparse ? [sparse] : [])]
      .map((part) => (part ? score(part).replace(/^0/, '') : '–'))
      .join('+');
  }
  if (stage === 'decay' && factor !== undefined) {
    const both = `×${factor.toFixed(2)}${lifts === undefined ? '' : ` ×${lifts.toFixed(2)}`}`;
    return `${both}${days === undefined ? '' : ` · ${age(days)}`}`;
  }
  return stage === 'rerank' && reranker !== undefined ? t.reads(score(reranker)) : '';
}

function allTerms(stage: Stage, item: StageItem): string {
  const telling = STAGE_TERMS[stage].flatMap((name) => {
    const value = termOf(item.terms, name);
    return value === undefined || value === 0 ? [] : [`${named(t.terms, name)} ${exact(value)}`];
  });
  return [`${t.score} ${exact(item.score)}`, ...telling].join('\n');
}

function noteOf(item: StageItem, stage: Stage): string {
  if (item.dropped) return t.dropped[item.dropped];
  if (stage !== 'rerank' || item.reranked) return '';
  if (isBelowWindow(item)) return t.below;
  return termOf(item.terms, 'fused_normalised') === undefined ? '' : t.unread;
}

/** A stage's list in full, as a table. */
export function StageTable(props: StageListProps) {
  const { stage } = props;
  const terms = STAGE_TERMS[stage.name].filter((name) =>
    stage.items.some((item) => termOf(item.terms, name) !== undefined),
  );
  return (
    <table className={css.table} onKeyDown={walkRows}>
      <caption className="visually-hidden">{t.list(t.names[stage.name])}</caption>
      <thead>
        <tr>
          <th scope="col">{t.rank}</th>
          <th scope="col">{t.memory}</th>
          {terms.map((name) => (
            <th scope="col" key={name}>
              {named(t.terms, name)}
            </th>
          ))}
          <th scope="col">{t.score}</th>
          <th scope="col">{t.fate}</th>
        </tr>
      </thead>
      <tbody>
        {stage.items.map((item, index) => (
          <TableRow key={item.id} item={item} first={index === 0} terms={terms} {...props} />
        ))}
      </tbody>
    </table>
  );
}

function TableRow(
  props: StageListProps & { item: StageItem; first: boolean; terms: readonly TermName[] },
) {
  const { item, first, terms, stage, expected, open, nameOf, onOpen } = props;
  const { onMouseEnter, onMouseLeave, onFocus, onBlur } = pointing(item.id);
  const hot = useIsHot(item.id);
  return (
    <tr
      data-hot={hot || undefined}
      data-open={open === item.id || undefined}
      data-expected={expected === item.id || undefined}
      data-dropped={item.dropped ?? undefined}
      onMouseEnter={onMouseEnter}
      onMouseLeave={onMouseLeave}
    >
      <td className={css.rank}>{item.rank}</td>
      <th scope="row">
        <button
          type="button"
          data-row
          tabIndex={first ? 0 : -1}
          onClick={() => onOpen(item.id)}
          onFocus={onFocus}
          onBlur={onBlur}
        >
          {nameOf(item.id)}
        </button>
      </th>
      {terms.map((name) => (
        <td key={name}>
          <Term name={name} value={termOf(item.terms, name)} />
        </td>
      ))}
      <td>
        <CopyNumber shown={score(item.score)} exact={exact(item.score)} label={t.score} />
      </td>
      <td className={css.fate}>{noteOf(item, stage.name) || t.goesOn}</td>
    </tr>
  );
}

function Term({ name, value }: { name: TermName; value: number | undefined }) {
  if (value === undefined) return <>–</>;
  const shown = name === 'age_days' ? age(value) : score(value);
  return <CopyNumber shown={shown} exact={exact(value)} label={named(t.terms, name)} />;
}
