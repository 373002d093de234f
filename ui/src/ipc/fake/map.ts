/** The invented core's map: places are made from words, so that like lies beside like. */
import type { MapView, MemoryView } from '../types';
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
