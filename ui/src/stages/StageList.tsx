/** A stage's ranked list, narrow (one of seven columns) or wide (with every number it is made of). */
import { CopyNumber } from '../components/CopyNumber';
import { age, exact, score } from '../features/xray/format';
import { pointing, useIsHot } from '../features/xray/hover';
import { termOf } from '../features/xray/model';
import type { Stage, StageItem, StageTrace, TermName } from '../ipc/types';
import { xray } from '../locales/en/xray';
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
  const { stage } = props;
  const firstCut = stage.items.findIndex((item) => item.dropped !== null);
  return (
    <ol className={css.column} aria-label={t.list(t.names[stage.name])} onKeyDown={walkRows}>
      {stage.items.map((item, index) => (
        <ColumnRow
          key={item.id}
          item={item}
          first={index === 0}
          cut={index === firstCut}
          {...props}
        />
      ))}
    </ol>
  );
}

type RowProps = StageListProps & { item: StageItem; first: boolean; cut: boolean };

function ColumnRow({ item, first, cut, stage, expected, open, nameOf, onOpen }: RowProps) {
  const hot = useIsHot(item.id);
  const telling = STAGE_TERMS[stage.name].flatMap((name) => {
    const value = termOf(item.terms, name);
    return value === undefined || value === 0 ? [] : [`${t.terms[name]} ${exact(value)}`];
  });
  const full = [nameOf(item.id), `${t.score} ${exact(item.score)}`, ...telling].join('\n');
  return (
    <li data-cut={cut || undefined}>
      <button
        type="button"
        data-row
        tabIndex={first ? 0 : -1}
        className={css.row}
        data-hot={hot || undefined}
        data-open={open === item.id || undefined}
        data-expected={expected === item.id || undefined}
        data-dropped={item.dropped ?? undefined}
        title={full}
        onClick={() => onOpen(item.id)}
        {...pointing(item.id)}
      >
        <span className={css.rank}>{item.rank}</span>
        <span className={css.name}>{nameOf(item.id)}</span>
        <span className={css.figures}>
          <span>{score(item.score)}</span>
          {item.dropped ? <em>{t.dropped[item.dropped]}</em> : null}
          {stage.name === 'rerank' && !item.reranked && !item.dropped ? <em>{t.unread}</em> : null}
        </span>
      </button>
    </li>
  );
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
              {t.terms[name]}
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
      <td className={css.fate}>{fateOf(item, stage.name)}</td>
    </tr>
  );
}

function Term({ name, value }: { name: TermName; value: number | undefined }) {
  if (value === undefined) return <>–</>;
  const shown = name === 'age_days' ? age(value) : score(value);
  return <CopyNumber shown={shown} exact={exact(value)} label={t.terms[name]} />;
}

function fateOf(item: StageItem, stage: Stage): string {
  if (item.dropped) return t.dropped[item.dropped];
  return stage === 'rerank' && !item.reranked ? t.unread : t.goesOn;
}
