/** The combinations that the brushes let through, best first: the twin of both plots. */
import { xray } from '../../locales/en/xray';
import { shown } from '../../words/constants';
import many from './SweepMany.module.css';
import tables from './TuningSection.module.css';
import { nameOf, ranked, type Trials } from './trials';

const t = xray.sweepMany;

/** Draws that are shown; the brushes reach the rest. */
const SHOWN = 20;

const COLUMNS = ['success_5', 'mrr_10', 'ndcg_10', 'recall_10'] as const;

export function TrialsTable(props: {
  held: Trials;
  through: ReadonlySet<number>;
  selected: number;
  onSelect: (id: number) => void;
}) {
  const { held, through, selected } = props;
  const { axes } = held.plan;
  const all = ranked(held.trials.filter((trial) => through.has(trial.number)));
  // What everything is compared with is always there.
  const rows = all.filter((trial, at) => at < SHOWN || trial.name !== null);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard. */}
      <section className={`${tables.scroll} ${many.table}`} tabIndex={0} aria-label={t.table}>
        <table className={tables.table}>
          <thead>
            <tr>
              <th scope="col">{t.table}</th>
              {axes.map((axis) => (
                <th scope="col" key={axis}>
                  {xray.sliders.names[axis]}
                </th>
              ))}
              {COLUMNS.map((name) => (
                <th scope="col" key={name}>
                  {xray.metrics[name]}
                </th>
              ))}
              <th scope="col">{t.interval}</th>
              <th scope="col">{t.ms}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((trial) => (
              <tr key={trial.number} aria-selected={trial.number === selected}>
                <th scope="row">
                  <button
                    type="button"
                    aria-pressed={trial.number === selected}
                    aria-label={t.select(nameOf(trial, axes))}
                    onClick={() => props.onSelect(trial.number)}
                  >
                    {trial.name === null ? t.number(trial.number - 4) : nameOf(trial, axes)}
                  </button>
                </th>
                {axes.map((axis, at) => (
                  <td key={axis}>{shown(axis, trial.values[at] ?? 0)}</td>
                ))}
                {COLUMNS.map((name) => (
                  <td key={name}>{trial.scores[name].toFixed(3)}</td>
                ))}
                <td>
                  {trial.low.toFixed(2)}–{trial.high.toFixed(2)}
                </td>
                <td>{trial.ms.toFixed(1)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {all.length > rows.length ? <p>{t.more(all.length - rows.length)}</p> : null}
    </>
  );
}
