/** The invented core's map: places are made from words, so that like lies beside like. */
import type { MapView, MemoryView, NeighbourMapAction, NeighbourMapView } from '../bindings';
import { words } from './rank';
import type { Store } from './store';

function hash(text: string): number {
  let value = 2166136261;
  for (let at = 0; at < text.length; at += 1)
    value = Math.imul(value ^ text.charCodeAt(at), 16777619);
  return (value >>> 0) / 4294967296;
}

/** A place as the mean of the places of a text's words, with a little noise of its own. */
function placeOf(text: string): [number, number] {
  const all = words(text).filter((word) => word.length > 3);
  let [x, y] = [0, 0];
  for (const word of all) {
    x += Math.cos(2 * Math.PI * hash(word)) / Math.max(1, all.length);
    y += Math.sin(2 * Math.PI * hash(`${word}.`)) / Math.max(1, all.length);
  }
  return [x + 0.05 * (hash(text) - 0.5), y + 0.05 * (hash(`${text}!`) - 0.5)];
}

const fine = (value: number) => Math.round(value * 1e4) / 1e4;

export function inventedMap(
  store: Store,
  query: { text: string; cosines: ReadonlyMap<string, number> } | null,
): MapView {
  const living: MemoryView[] = store.living();
  const agents = [...new Set(living.map((one) => one.card.agent))];
  const kinds = [...new Set(living.map((one) => one.card.kind))];
  const places = living.map((one) => placeOf(one.content));
  const [qx, qy] = placeOf(query?.text ?? '');
  return {
    model: 'all-MiniLM-L6-v2/int8',
    dimension: 384,
    explained: [0.081, 0.047],
    without: 0,
    ids: living.map((one) => one.card.id),
    x: places.map(([x]) => fine(x)),
    y: places.map(([, y]) => fine(y)),
    agents,
    agent: living.map((one) => agents.indexOf(one.card.agent)),
    kinds,
    kind: living.map((one) => kinds.indexOf(one.card.kind)),
    age_days: living.map((one) => one.card.age_days),
    query: query ? { text: query.text, x: fine(qx), y: fine(qy) } : null,
    cosine: query ? living.map((one) => fine(query.cosines.get(one.card.id) ?? 0)) : [],
  };
}

/** How many looks the invented core takes to lay out. */
const LOOKS = 4;

const IDLE: NeighbourMapView = {
  state: 'idle',
  done: 0,
  ids: [],
  x: [],
  y: [],
  laid_out: 0,
  kept: 0,
  kept_flat: 0,
  query: null,
};

/** The invented core's neighbour map: an island per agent, ready after a few looks. */
export class InventedNeighbours {
  private looks: number | null = null;

  constructor(private readonly store: Store) {}

  answer(
    action: NeighbourMapAction,
    query: { text: string; cosines: ReadonlyMap<string, number> } | null,
  ): NeighbourMapView {
    if (action === 'stop') this.looks = null;
    else if (action === 'start') this.looks ??= 0;
    else if (this.looks !== null) this.looks += 1;
    if (this.looks === null) return IDLE;
    if (this.looks < LOOKS) return { ...IDLE, state: 'running', done: this.looks / LOOKS };
    const living = this.store.living();
    const agents = [...new Set(living.map((one) => one.card.agent))];
    const places = living.map((one): [number, number] => {
      const [x, y] = placeOf(one.content);
      const turn = (2 * Math.PI * agents.indexOf(one.card.agent)) / agents.length;
      return [30 * Math.cos(turn) + 12 * x, 30 * Math.sin(turn) + 12 * y];
    });
    const nearest = living.reduce<{ at: number; cosine: number } | null>((best, one, at) => {
      const cosine = query?.cosines.get(one.card.id) ?? 0;
      return best === null || cosine > best.cosine ? { at, cosine } : best;
    }, null);
    const [qx, qy] = places[nearest?.at ?? 0] ?? [0, 0];
    return {
      state: 'ready',
      done: 1,
      ids: living.map((one) => one.card.id),
      x: places.map(([x]) => fine(x)),
      y: places.map(([, y]) => fine(y)),
      laid_out: Math.min(10_000, living.length),
      kept: 0.46,
      kept_flat: 0.08,
      query: query ? { text: query.text, x: fine(qx + 1), y: fine(qy + 1) } : null,
    };
  }
}
