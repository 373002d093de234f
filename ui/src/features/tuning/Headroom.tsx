/** What the golden queries leave on the table: a better order, a larger cutoff, or better legs. */
import { useQuery } from '@tanstack/react-query';
import { Failed } from '../../components/State';
import { backend } from '../../ipc/backend';
import type { Constants, HeadroomView } from '../../ipc/bindings';
import { useGoldenQueries } from '../../ipc/golden';
import { keys } from '../../ipc/keys';
import { named, xray } from '../../locales/en/xray';
import { useXray } from '../xray/store';
import { AskAgain } from './AskAgain';
import css from './Headroom.module.css';
import lab from './Lab.module.css';
import tables from './TuningSection.module.css';

const t = xray.headroom;

const PARTS = ['actual', 'ranking', 'cutoff', 'unfound'] as const;

/** How many queries are named; the rest leave less. */
const NAMED = 8;

export function Headroom({ preset }: { preset: Constants }) {
  const { constants, now } = useXray('constants', 'now');
  const golden = useGoldenQueries();
  const under = constants ?? preset;
  const asked = useQuery({
    queryKey: keys.headroom(under, now),
    queryFn: () => backend().headroom({ constants: under, now }),
    enabled: (golden.data?.length ?? 0) > 0,
    placeholderData: (held) => held,
    retry: false,
  });
  if (golden.data?.length === 0) return <p>{t.none}</p>;
  if (asked.error) return <Failed error={asked.error} onRetry={() => void asked.refetch()} />;
  if (!asked.data) return <p>{t.measuring}</p>;
  if (asked.data.queries.length === 0) return <p>{xray.golden.noRelevant}</p>;
  return <Outcome view={asked.data} />;
}

function Outcome({ view }: { view: HeadroomView }) {
  return (
    <>
      <h3 className={lab.title}>{t.finding(view)}</h3>
      <Parts view={view} />
      <Stages view={view} />
      <p>{t.stagesHelp}</p>
      <Worst view={view} />
      {view.unread > 0 ? <p>{xray.golden.unread(view.unread)}</p> : null}
    </>
  );
}

/** The parts of 1, as one bar and as the list that names them; the list is the bar's twin. */
function Parts({ view }: { view: HeadroomView }) {
  return (
    <figure className={css.parts} aria-label={t.bar}>
      <div className={css.bar} aria-hidden="true">
        {PARTS.map((part) => (
          <span key={part} data-part={part} style={{ flexGrow: Math.max(0, view[part]) }} />
        ))}
      </div>
      <div className={css.scale} aria-hidden="true">
        {[0, 0.25, 0.5, 0.75, 1].map((tick) => (
          <span key={tick}>{tick}</span>
        ))}
      </div>
      <p className={css.axis} aria-hidden="true">
        {t.axis}
      </p>
      <dl className={css.legend}>
        {PARTS.map((part) => (
          <div key={part}>
            <dt>
              <span className={css.swatch} data-part={part} aria-hidden="true" />
              {t.parts[part]}
            </dt>
            <dd>
              <strong>
                {part === 'actual' ? '' : '+'}
                {Math.max(0, view[part]).toFixed(3)}
              </strong>
              <small>{t.means[part]}</small>
            </dd>
          </div>
        ))}
      </dl>
    </figure>
  );
}

function Stages({ view }: { view: HeadroomView }) {
  const count = view.queries.length;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard.
    <section className={tables.scroll} tabIndex={0} aria-label={t.stages}>
      <table className={`${tables.table} ${css.stages}`}>
        <thead>
          <tr>
            {[t.stage, t.recallIn, t.recallOut, t.ndcgIn, t.ndcgOut, t.helped, t.hurt].map(
              (name) => (
                <th scope="col" key={name}>
                  {name}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {view.stages.map((one) => (
            <tr key={one.stage}>
              <th scope="row">{named(xray.stages.names, one.stage)}</th>
              <td>{one.recall_in.toFixed(3)}</td>
              <td>{one.recall_out.toFixed(3)}</td>
              <td>{one.ndcg_in === null ? '–' : one.ndcg_in.toFixed(3)}</td>
              <td>{one.ndcg_out.toFixed(3)}</td>
              <td>{one.ndcg_in === null ? '–' : t.hurts(one.helped, count)}</td>
              <td data-hurt={one.hurt > 0 || undefined}>{t.hurts(one.hurt, count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The queries with the most left, each with where it was left. */
function Worst({ view }: { view: HeadroomView }) {
  const rows = [...view.queries]
    .filter((one) => one.actual < 0.9995)
    .sort((a, b) => a.actual - b.actual)
    .slice(0, NAMED);
  if (rows.length === 0) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard.
    <section className={tables.scroll} tabIndex={0} aria-label={t.worst(view.queries.length)}>
      <table className={`${tables.table} ${lab.golden} ${css.stages}`}>
        <thead>
          <tr>
            <th scope="col">{t.worst(view.queries.length)}</th>
            {PARTS.map((part) => (
              <th scope="col" key={part}>
                {t.parts[part]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((one) => (
            <tr key={one.id}>
              <th scope="row">
                <AskAgain text={one.text} label={t.open(one.text)} />
              </th>
              {[one.actual, one.oracle - one.actual, one.deep - one.oracle, 1 - one.deep].map(
                (value, at) => (
                  <td key={PARTS[at]}>{value < 0.0005 ? '0' : value.toFixed(2)}</td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
