/** How long queries took lately, stage by stage. */
import { useQuery } from '@tanstack/react-query';
import { Panel } from '../../components/Page';
import { Failed, Waiting } from '../../components/State';
import { backend } from '../../ipc/backend';
import type { LatencyRow, LatencyView } from '../../ipc/bindings';
import { keys } from '../../ipc/keys';
import { text } from '../../locales/en';
import { duration } from '../../locales/en/format';
import { PLACES } from '../../shell/book';
import { HelpMark } from '../../shell/HelpMark';
import css from './VaultSection.module.css';

const words = text.vault.latency;

export function Latency() {
  const asked = useQuery({
    queryKey: keys.latencies,
    queryFn: () => backend().latencies(),
    // Every query changes it, and nothing tells.
    staleTime: 0,
  });
  const view = asked.data;
  return (
    <Panel title={words.title} mark={<HelpMark place={PLACES.speed} about={words.title} />}>
      {asked.error ? (
        <Failed error={asked.error} onRetry={() => void asked.refetch()} />
      ) : !view ? (
        <Waiting />
      ) : view.whole === null ? (
        <p>{words.none}</p>
      ) : (
        <>
          <p>{words.finding(view.queries, duration(view.whole.p50), slowestStage(view))}</p>
          <Recent times={view.recent} />
          <Times rows={[...view.stages, view.whole]} />
        </>
      )}
    </Panel>
  );
}

/** The stage that takes longest in the middle of all queries. */
export function slowestStage({ stages }: LatencyView): string {
  return stages.reduce((slow, row) => (row.p50 > slow.p50 ? row : slow)).name;
}

/** The last queries as bars, the slowest one filling the height; the table says the rest. */
function Recent({ times }: { times: readonly number[] }) {
  const slowest = Math.max(...times, Number.EPSILON);
  return (
    <div
      className={css.recent}
      role="img"
      aria-label={words.recent(times.length, duration(slowest))}
    >
      {times.map((time, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a time has no name but its place.
        <span key={at} title={duration(time)} style={{ height: `${(time / slowest) * 100}%` }} />
      ))}
    </div>
  );
}

function Times({ rows }: { rows: readonly LatencyRow[] }) {
  return (
    <table className={css.times}>
      <thead>
        <tr>
          <th scope="col">{words.stage}</th>
          <th scope="col">{words.ran}</th>
          <th scope="col">{words.p50}</th>
          <th scope="col">{words.p95}</th>
          <th scope="col">{words.slowest}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.name}>
            <th scope="row">{row.name === 'whole' ? words.whole : row.name}</th>
            <td>{text.common.number(row.ran)}</td>
            <td>{duration(row.p50)}</td>
            <td>{duration(row.p95)}</td>
            <td>{duration(row.slowest)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
