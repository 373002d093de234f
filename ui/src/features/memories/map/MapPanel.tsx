/** The memories as a flat picture of their vectors, and the table that says the same in numbers. */
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState, useSyncExternalStore } from 'react';
import type { Mark } from '../../../charts/map/draw';
import { MapCanvas } from '../../../charts/map/MapCanvas';
import { type Picture, useMoving } from '../../../charts/map/motion';
import { Button } from '../../../components/Button';
import { EmptyState } from '../../../components/EmptyState';
import { Progress } from '../../../components/Progress';
import { Failed } from '../../../components/State';
import { backend } from '../../../ipc/backend';
import type { MapView } from '../../../ipc/bindings';
import { keys } from '../../../ipc/keys';
import { text } from '../../../locales/en';
import { Segmented } from '../../xray/Segmented';
import { useXray } from '../../xray/store';
import { type ColourBy, type Grouping, grouped, telling } from './groups';
import css from './MapPanel.module.css';
import { MapTable } from './MapTable';
import { fitted, type Neighbours, useNeighbours } from './neighbours';

const t = text.memories.map;

const NOWHERE: Picture = { x: [], y: [] };

export function MapPanel(props: {
  openId: string | null;
  /** Ids that were picked with the lasso; null when nothing was. */
  only: readonly string[] | null;
  onOpen: (id: string) => void;
  onPick: (ids: string[] | null) => void;
}) {
  const { view: answer, expected, frozen } = useXray('view', 'expected', 'frozen');
  const recall = frozen === null ? (answer?.recall ?? null) : null;
  const asked = useQuery({
    queryKey: keys.map(recall),
    queryFn: () => backend().map(recall),
    gcTime: 60_000,
  });
  const [wished, setBy] = useState<ColourBy | null>(null);
  const [twin, setTwin] = useState('map');
  const [tool, setTool] = useState<'move' | 'lasso'>('move');
  const [single, setSingle] = useState<ReadonlySet<number>>(new Set());
  const isDark = useIsDark();
  const map = asked.data;
  // One agent's map is not all of one colour.
  const by = wished ?? (map ? telling(map) : 'agent');
  const trace = frozen === null ? (answer?.trace ?? null) : null;
  const groups = useMemo(
    () => (map ? grouped(map, by, trace, isDark) : null),
    [map, by, trace, isDark],
  );
  const places = useMemo(() => new Map(map?.ids.map((id, at) => [id, at])), [map]);
  const picked = useMemo(
    () => (props.only === null ? null : new Set(props.only.flatMap((id) => places.get(id) ?? []))),
    [props.only, places],
  );
  const neighbours = useNeighbours(map, recall);
  const laid = useMemo(() => (map ? fitted(map, neighbours.view) : null), [map, neighbours.view]);
  // The neighbours take the flat picture's place once they are there, unless the person chose.
  const [chosen, setChosen] = useState<'flat' | 'laid' | null>(null);
  const layout = laid !== null && chosen !== 'flat' ? 'laid' : 'flat';
  const target = useMemo(
    () => (layout === 'laid' ? laid : map ? { x: map.x, y: map.y } : null) ?? NOWHERE,
    [layout, laid, map],
  );
  const picture = useMoving(target, map?.ids);
  if (asked.error) return <Failed error={asked.error} onRetry={() => void asked.refetch()} />;
  if (!map || !groups) return <p className={css.note}>{t.loading}</p>;
  if (map.ids.length === 0)
    return <EmptyState title={t.emptyTitle}>{map.model ? t.empty : t.noModel}</EmptyState>;
  return (
    <section className={css.panel} aria-label={t.label}>
      <header className={css.head}>
        <h2>
          {layout === 'laid'
            ? t.laidTitle(map.ids.length, neighbours.view?.kept ?? 0)
            : t.title(map.ids.length, map.explained[0] + map.explained[1])}
        </h2>
        <Layout
          neighbours={neighbours}
          layout={layout}
          ready={laid !== null}
          onChoose={setChosen}
        />
        <Segmented
          label={t.colourBy}
          value={by}
          choices={(Object.keys(t.by) as ColourBy[])
            .filter((one) => one !== 'outcome' || trace !== null)
            .map((one) => [one, t.by[one]] as const)}
          onChange={(next) => {
            setBy(next);
            setSingle(new Set());
          }}
        />
        <Segmented
          label={t.tool}
          value={tool}
          choices={[
            ['move', t.move],
            ['lasso', t.lasso],
          ]}
          onChange={setTool}
        />
        <Segmented
          label={t.shownAs}
          value={twin}
          choices={[
            ['map', t.map],
            ['table', t.table],
          ]}
          onChange={setTwin}
        />
      </header>
      <Legend groups={groups} single={single} onSingle={setSingle} />
      {twin === 'map' ? (
        <MapCanvas
          label={t.label}
          help={t.keys}
          x={picture.x}
          y={picture.y}
          group={groups.group}
          colours={groups.colours}
          single={single}
          picked={picked}
          marks={marks(
            map,
            picture,
            layout === 'laid' ? (laid?.query ?? null) : map.query,
            places,
            expected,
            props.openId,
          )}
          tool={tool}
          tipOf={(at) => tip(map, at)}
          onOpen={(at) => props.onOpen(map.ids[at] ?? '')}
          onPick={(found) => props.onPick(found.map((at) => map.ids[at] ?? ''))}
        />
      ) : (
        <MapTable map={map} groups={groups} picked={picked} onOpen={props.onOpen} />
      )}
      <footer className={css.foot}>
        <p>
          {layout === 'laid' && neighbours.view
            ? `${t.laidMeans(neighbours.view.kept, neighbours.view.kept_flat)} ${t.laidOf(neighbours.view.laid_out, map.ids.length)}`
            : t.misleads(map.dimension)}{' '}
          {nearest(map, places, expected)}
          {map.without > 0 ? ` ${t.without(map.without)}` : ''}
        </p>
        {props.only !== null ? (
          <Button variant="quiet" onPress={() => props.onPick(null)}>
            {t.unpick(props.only.length)}
          </Button>
        ) : null}
      </footer>
    </section>
  );
}

/** Which picture, or how far the second one is. */
function Layout(props: {
  neighbours: Neighbours;
  layout: 'flat' | 'laid';
  ready: boolean;
  onChoose: (layout: 'flat' | 'laid') => void;
}) {
  const { neighbours } = props;
  if (props.ready) {
    return (
      <Segmented
        label={t.layout}
        value={props.layout}
        choices={[
          ['flat', t.layouts.flat],
          ['laid', t.layouts.laid],
        ]}
        onChange={props.onChoose}
      />
    );
  }
  if (neighbours.view?.state === 'running') {
    return (
      <span className={css.laying}>
        <Progress label={t.laying} value={Math.round(neighbours.view.done * 100)} total={100} />
        <Button variant="quiet" onPress={neighbours.stop}>
          {t.stop}
        </Button>
      </span>
    );
  }
  if (neighbours.view === null) return null;
  return (
    <Button variant="quiet" onPress={neighbours.start}>
      {t.lay}
    </Button>
  );
}

function Legend({
  groups,
  single,
  onSingle,
}: {
  groups: Grouping;
  single: ReadonlySet<number>;
  onSingle: (single: ReadonlySet<number>) => void;
}) {
  const toggle = (at: number) => {
    const next = new Set(single);
    if (!next.delete(at)) next.add(at);
    onSingle(next);
  };
  return (
    <ul className={css.legend} aria-label={t.legend}>
      {groups.names.map((name, at) =>
        (groups.counts[at] ?? 0) === 0 ? null : (
          <li key={name}>
            <button type="button" aria-pressed={single.has(at)} onClick={() => toggle(at)}>
              <span
                className={css.dot}
                style={{ background: groups.colours[Math.min(at, groups.colours.length - 1)] }}
                aria-hidden="true"
              />
              {name} <small>{(groups.counts[at] ?? 0).toLocaleString('en-US')}</small>
            </button>
          </li>
        ),
      )}
    </ul>
  );
}

function tip(map: MapView, at: number): string {
  const cosine = map.cosine[at];
  return [
    map.ids[at],
    map.agents[map.agent[at] ?? 0],
    (map.kinds[map.kind[at] ?? 0] ?? '').replaceAll('_', ' '),
    text.common.age(map.age_days[at] ?? null),
    cosine === undefined ? '' : t.cosine(cosine),
  ]
    .filter(Boolean)
    .join(' · ');
}

function marks(
  map: MapView,
  picture: Picture,
  query: { x: number; y: number } | null,
  places: ReadonlyMap<string, number>,
  expected: string | null,
  open: string | null,
): Mark[] {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string, otherwise: string) => style.getPropertyValue(name) || otherwise;
  const found: Mark[] = [];
  const put = (id: string | null, shape: Mark['shape'], name: string, hue: string) => {
    const at = id === null ? undefined : places.get(id);
    if (at === undefined) return;
    const cosine = map.cosine[at];
    const label = cosine === undefined ? name : `${name} · ${t.cosine(cosine)}`;
    found.push({ x: picture.x[at] ?? 0, y: picture.y[at] ?? 0, shape, label, colour: hue });
  };
  if (open !== expected) put(open, 'open', open ?? '', colour('--accent', '#3b5bdb'));
  put(expected, 'expected', t.expected, colour('--hi', '#7a3ff2'));
  if (query)
    found.push({
      x: query.x,
      y: query.y,
      shape: 'query',
      label: t.query,
      colour: colour('--ink', '#000'),
    });
  return found;
}

/** The true order beside the picture: how near the expected memory really is. */
function nearest(
  map: MapView,
  places: ReadonlyMap<string, number>,
  expected: string | null,
): string {
  const at = expected === null ? undefined : places.get(expected);
  const own = at === undefined ? undefined : map.cosine[at];
  if (own === undefined) return '';
  const nearer = map.cosine.reduce((n, cosine) => n + Number(cosine > own), 0);
  return t.truly(own, nearer);
}

const DARK = '(prefers-color-scheme: dark)';

/** Whether the ground is dark, by choice or by the system. */
function useIsDark(): boolean {
  return useSyncExternalStore(
    (changed) => {
      const query = window.matchMedia(DARK);
      query.addEventListener('change', changed);
      const observer = new MutationObserver(changed);
      observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
      return () => {
        query.removeEventListener('change', changed);
        observer.disconnect();
      };
    },
    () => {
      const { theme } = document.documentElement.dataset;
      return theme === 'dark' || (theme === undefined && window.matchMedia(DARK).matches);
    },
  );
}
