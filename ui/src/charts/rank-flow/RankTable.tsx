/** The rank flow as a table: the same memories and the same ranks, for keyboard and screen reader. */
import { xray } from '../../locales/en/xray';
import type { FlowColumn } from './layout';
import css from './RankTable.module.css';

export interface RankTableProps {
  columns: readonly FlowColumn[];
  results: readonly string[];
  expected?: { id: string; beyond: Partial<Record<string, number>> } | undefined;
  title: string;
  hot: string | null;
  onPoint: (id: string | null) => void;
  onOpen: (id: string) => void;
  nameOf: (id: string) => string;
}

const t = xray.flow;

/** Results first, then whoever got furthest, best rank first. */
export function tableOrder(
  columns: readonly FlowColumn[],
  results: readonly string[],
  expected?: string,
): string[] {
  const ids = new Set<string>(results);
  if (expected !== undefined) ids.add(expected);
  for (const column of [...columns].reverse()) {
    for (const [id] of [...column.ranks].sort((a, b) => a[1] - b[1])) ids.add(id);
  }
  return [...ids];
}

export function RankTable(props: RankTableProps) {
  const { columns, results, expected, hot } = props;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard.
    <section className={css.scroll} tabIndex={0} aria-label={t.caption}>
      <table className={css.table}>
        <caption className="visually-hidden">{`${t.caption}. ${props.title}`}</caption>
        <thead>
          <tr>
            <th scope="col">{xray.stages.memory}</th>
            {columns.map((column) => (
              <th scope="col" key={column.key} className={css.number}>
                {t.columns[column.key]}
                {column.ran ? null : <span className="visually-hidden"> {t.notRun}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {tableOrder(columns, results, expected?.id).map((id) => (
            <tr
              key={id}
              data-hot={hot === id || undefined}
              data-result={results.includes(id) || undefined}
              data-expected={expected?.id === id || undefined}
              onMouseEnter={() => props.onPoint(id)}
              onMouseLeave={() => props.onPoint(null)}
            >
              <th scope="row">
                <button
                  type="button"
                  onClick={() => props.onOpen(id)}
                  onFocus={() => props.onPoint(id)}
                  onBlur={() => props.onPoint(null)}
                >
                  {expected?.id === id ? <em>{t.expected} </em> : null}
                  {props.nameOf(id)}
                </button>
              </th>
              {columns.map((column) => (
                <td key={column.key} className={css.number}>
                  <Rank
                    counted={column.ranks.get(id)}
                    beyond={expected?.id === id ? expected.beyond[column.key] : undefined}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Rank({ counted, beyond }: { counted: number | undefined; beyond: number | undefined }) {
  if (counted !== undefined) return <>{counted}</>;
  if (beyond !== undefined) {
    return (
      <>
        <span aria-hidden="true">({beyond})</span>
        <span className="visually-hidden">{t.beyond(beyond)}</span>
      </>
    );
  }
  return (
    <>
      <span aria-hidden="true">–</span>
      <span className="visually-hidden">{t.absent}</span>
    </>
  );
}
