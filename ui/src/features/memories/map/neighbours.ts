/** The neighbour map beside the flat one: begun when the map opens, fitted to the same frame. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { failed } from '../../../components/failure';
import { backend } from '../../../ipc/backend';
import type { MapView, NeighbourMapAction, NeighbourMapView } from '../../../ipc/bindings';
import { keys } from '../../../ipc/keys';

/** How often is asked how far it is. */
const LOOK_MS = 300;

export interface Neighbours {
  view: NeighbourMapView | null;
  start: () => void;
  stop: () => void;
}

/** Starts laying out once the flat map stands, and follows it. */
export function useNeighbours(map: MapView | undefined, recall: string | null): Neighbours {
  const client = useQueryClient();
  const begun = useRef(false);
  const there = (map?.ids.length ?? 0) > 0;
  const asked = useQuery({
    queryKey: keys.neighbours(recall),
    queryFn: () => backend().neighbourMap({ action: begin(begun), recall }),
    enabled: there,
    gcTime: 0,
    placeholderData: (held) => held,
    retry: false,
    refetchInterval: (query) => (query.state.data?.state === 'running' ? LOOK_MS : false),
  });
  const act = (action: NeighbourMapAction) => {
    backend()
      .neighbourMap({ action, recall })
      .then((view) => client.setQueryData(keys.neighbours(recall), view))
      .catch(failed);
  };
  return {
    view: asked.data ?? null,
    start: () => act('start'),
    stop: () => act('stop'),
  };
}

/** The first question begins the work, the others look at it. */
function begin(begun: { current: boolean }): NeighbourMapAction {
  if (begun.current) return 'look';
  begun.current = true;
  return 'start';
}

export interface Fitted {
  x: number[];
  y: number[];
  query: { x: number; y: number } | null;
}

/**
 * The neighbour map in the frame of the flat one and in the order of its points, so that one can
 * become the other; null until it is there. What it does not hold has no place.
 */
export function fitted(map: MapView, view: NeighbourMapView | null): Fitted | null {
  if (view?.state !== 'ready' || view.ids.length === 0) return null;
  const places = new Map(view.ids.map((id, at) => [id, at]));
  const [fromX, fromY] = [frame(view.x), frame(view.y)];
  const [toX, toY] = [frame(map.x), frame(map.y)];
  const scale = Math.min(toX.width / fromX.width, toY.width / fromY.width);
  const x = (value: number) => toX.middle + (value - fromX.middle) * scale;
  const y = (value: number) => toY.middle + (value - fromY.middle) * scale;
  const at = map.ids.map((id) => places.get(id));
  return {
    x: at.map((place) => (place === undefined ? Number.NaN : x(view.x[place] ?? 0))),
    y: at.map((place) => (place === undefined ? Number.NaN : y(view.y[place] ?? 0))),
    query: view.query ? { x: x(view.query.x), y: y(view.query.y) } : null,
  };
}

/** The middle and the width of a column; a column of equal values is not without width. */
function frame(values: readonly number[]): { middle: number; width: number } {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  return { middle: (least + most) / 2, width: Math.max(most - least, 1e-9) };
}
