/** What the colours of the map stand for. */
import { ageColours, GROUPS, groupColours } from '../../../charts/map/palette';
import type { MapView, Stage, Trace } from '../../../ipc/bindings';
import { text } from '../../../locales/en';
import { LEGS } from '../../../trace/model';

const t = text.memories.map;

export type ColourBy = 'agent' | 'kind' | 'age' | 'outcome';

export interface Grouping {
  /** The group of each point. */
  group: number[];
  /** The names of the groups, with how many points each has. */
  names: string[];
  counts: number[];
  colours: readonly string[];
}

/** The first of agent, kind and age that tells points apart. */
export function telling(map: MapView): ColourBy {
  if (new Set(map.agent).size > 1) return 'agent';
  return new Set(map.kind).size > 1 ? 'kind' : 'age';
}

/** Upper ends of the age groups in days; the last one is open. */
const AGES = [7, 30, 90, 365];

/** Groups points; the frequent ones first, so that they get the colours that stand apart most. */
export function grouped(
  map: MapView,
  by: ColourBy,
  trace: Trace | null,
  isDark: boolean,
): Grouping {
  if (by === 'age') {
    const group = map.age_days.map((days) =>
      days === null ? AGES.length + 1 : AGES.filter((end) => days >= end).length,
    );
    const colours = [...ageColours(isDark), groupColours(isDark)[GROUPS - 1] as string];
    return counted(group, t.ages, colours);
  }
  if (by === 'outcome') {
    const place = outcomes(trace);
    return counted(
      map.ids.map((id) => place.get(id) ?? OUTCOMES.length),
      [...OUTCOMES.map((outcome) => t.outcomes[outcome] ?? outcome), t.notFound],
      outcomeColours(isDark),
    );
  }
  const numbers = by === 'agent' ? map.agent : map.kind;
  const names = by === 'agent' ? map.agents : map.kinds.map((kind) => kind.replaceAll('_', ' '));
  const tally = names.map((_, at) => numbers.reduce((n, one) => n + Number(one === at), 0));
  const order = names.map((_, at) => at).sort((a, b) => (tally[b] ?? 0) - (tally[a] ?? 0));
  const kept = order.length > GROUPS ? order.slice(0, GROUPS - 1) : order;
  const rank = new Map(kept.map((at, index) => [at, index]));
  return counted(
    numbers.map((at) => rank.get(at) ?? GROUPS - 1),
    [
      ...kept.map((at) => names[at] ?? ''),
      ...(kept.length < order.length ? [t.others(order.length - kept.length)] : []),
    ],
    groupColours(isDark),
  );
}

function counted(group: number[], names: string[], colours: readonly string[]): Grouping {
  const counts = names.map(() => 0);
  for (const at of group) counts[at] = (counts[at] ?? 0) + 1;
  return { group, names, counts, colours };
}

/** How far a memory came, best first. */
const OUTCOMES = ['result', 'rerank', 'fusion', 'leg'] as const;

function outcomes(trace: Trace | null): Map<string, number> {
  const place = new Map<string, number>();
  const put = (ids: readonly string[], outcome: number) => {
    for (const id of ids) if (!place.has(id)) place.set(id, outcome);
  };
  const list = (name: Stage, all: boolean) =>
    (trace?.stages.find((stage) => stage.name === name)?.items ?? [])
      .filter((item) => all || item.dropped === null)
      .map((item) => item.id);
  put(trace?.results ?? [], 0);
  put(list('rerank', false), 1);
  put(list('fusion', true), 2);
  put(
    LEGS.flatMap((leg) => list(leg, true)),
    3,
  );
  return place;
}

function outcomeColours(isDark: boolean): readonly string[] {
  const [blue, orange, green, pink] = groupColours(isDark);
  const grey = groupColours(isDark)[GROUPS - 1] as string;
  return [orange as string, blue as string, green as string, pink as string, grey];
}
