/** The map in numbers: the memories nearest to the query, or the newest, and what they are. */
import type { MapView } from '../../../ipc/bindings';
import { text } from '../../../locales/en';
import { walkRows } from '../../../stages/arrows';
import type { Grouping } from './groups';
import css from './MapPanel.module.css';

const t = text.memories.map;

/** Rows that are shown; the list beside it holds them all. */
const ROWS = 200;

export function MapTable({
  map,
  groups,
  picked,
  onOpen,
}: {
  map: MapView;
  groups: Grouping;
  picked: ReadonlySet<number> | null;
  onOpen: (id: string) => void;
}) {
  const byCosine = map.cosine.length > 0;
  const order = map.ids
    .map((_, at) => at)
    .filter((at) => picked === null || picked.has(at))
    .sort((a, b) =>
      byCosine
        ? (map.cosine[b] ?? 0) - (map.cosine[a] ?? 0)
        : (map.age_days[a] ?? Infinity) - (map.age_days[b] ?? Infinity),
    )
    .slice(0, ROWS);
  return (
    <div className={css.table}>
      <table aria-label={byCosine ? t.tableByCosine(order.length) : t.tableByAge(order.length)}>
        <thead>
          <tr>
            <th scope="col">{t.memory}</th>
            <th scope="col">{t.group}</th>
            <th scope="col">{t.kind}</th>
            <th scope="col">{t.age}</th>
            {byCosine ? <th scope="col">{t.trueCosine}</th> : null}
            <th scope="col">x</th>
            <th scope="col">y</th>
          </tr>
        </thead>
        <tbody onKeyDown={walkRows}>
          {order.map((at, index) => (
            <tr key={map.ids[at]}>
              <th scope="row">
                <button
                  type="button"
                  data-row
                  tabIndex={index === 0 ? 0 : -1}
                  onClick={() => onOpen(map.ids[at] ?? '')}
                >
                  {map.ids[at]}
                </button>
              </th>
              <td>{groups.names[groups.group[at] ?? 0]}</td>
              <td>{(map.kinds[map.kind[at] ?? 0] ?? '').replaceAll('_', ' ')}</td>
              <td>{text.common.age(map.age_days[at] ?? null)}</td>
              {byCosine ? <td>{(map.cosine[at] ?? 0).toFixed(4)}</td> : null}
              <td>{(map.x[at] ?? 0).toFixed(3)}</td>
              <td>{(map.y[at] ?? 0).toFixed(3)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
