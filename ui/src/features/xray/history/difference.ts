/** What differs between two traces, and the sentence that says the most important of it. */
import type { Constants, MemoryCard, Stage, StageTrace, Trace } from '../../../ipc/bindings';
import { listed } from '../../../locales/en/format';
import { xray } from '../../../locales/en/xray';
import { itemOf, STAGES, stageOf } from '../../../trace/model';
import { described } from '../../../words/constants';
import { type Comparison, compare, tally } from '../../tuning/compare';

const t = xray.history.difference;

/** One of two traces, with a name that the person knows it by. */
export interface Side {
  name: string;
  trace: Trace;
  cards: Readonly<Record<string, MemoryCard>>;
}

/** Stages that hold a ranked list. */
export const RANKED: readonly Stage[] = STAGES.filter((stage) => stage !== 'route');

export interface MemoryRow extends Comparison {
  /** Places in every ranked list, A's and B's; null where the list does not hold it. */
  places: { stage: Stage; a: number | null; b: number | null }[];
}

export interface StageRow {
  stage: Stage;
  a: StageTrace;
  b: StageTrace;
  /** Whether it ran differently. */
  differs: boolean;
}

export interface Pair {
  name: string;
  a: string;
  b: string;
}

export interface Difference {
  /** One sentence: what happened to the results, and what differs that can explain it. */
  title: string;
  rows: MemoryRow[];
  stages: StageRow[];
  constants: Pair[];
  facts: Pair[];
}

const placeIn = (trace: Trace, stage: Stage, id: string): number | null => {
  const item = itemOf(trace, stage, id);
  // What a leg cut off has a place there all the same; only its absence has none.
  return item?.rank ?? null;
};

function constantsOf(a: Constants, b: Constants): Pair[] {
  return (Object.keys(a) as Array<keyof Constants>)
    .filter((name) => a[name] !== b[name])
    .map((name) => {
      const [label, before] = described(name, a[name]);
      return { name: label, a: before, b: described(name, b[name])[1] };
    });
}

function factsOf(a: Trace, b: Trace): Pair[] {
  const model = (trace: Trace) => trace.model?.id ?? t.noModel;
  const pairs: Pair[] = [
    { name: t.query, a: a.query, b: b.query },
    { name: t.clock, a: moment(a.now), b: moment(b.now) },
    { name: t.mode, a: a.effective_mode, b: b.effective_mode },
    { name: t.level, a: level(a), b: level(b) },
    { name: t.model, a: model(a), b: model(b) },
    { name: t.searchable, a: String(a.searchable), b: String(b.searchable) },
    { name: t.epoch, a: String(a.index_epoch), b: String(b.index_epoch) },
  ];
  return pairs.filter((pair) => pair.a !== pair.b);
}

const level = (trace: Trace) =>
  trace.level === 'full' ? t.full : (xray.failure.levels[trace.level] ?? trace.level);

/** A moment to the minute, in UTC, as clocks are kept. */
export function moment(rfc3339: string): string {
  const at = new Date(rfc3339);
  if (Number.isNaN(at.getTime())) return rfc3339;
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Compares two traces. */
export function difference(a: Trace, b: Trace): Difference {
  const rows = compare(a.results, b.results).map((row) => ({
    ...row,
    places: RANKED.map((stage) => ({
      stage,
      a: placeIn(a, stage, row.id),
      b: placeIn(b, stage, row.id),
    })),
  }));
  const stages = STAGES.map((stage) => {
    const [left, right] = [stageOf(a, stage), stageOf(b, stage)];
    return {
      stage,
      a: left,
      b: right,
      differs: left.status !== right.status || left.reason !== right.reason,
    };
  });
  const constants = constantsOf(a.constants, b.constants);
  const facts = factsOf(a, b);
  return { title: titleOf(rows, stages, constants, facts), rows, stages, constants, facts };
}

function titleOf(rows: MemoryRow[], stages: StageRow[], constants: Pair[], facts: Pair[]): string {
  const sums = tally(rows);
  const moved = sums.promoted + sums.demoted;
  const parts = [
    moved > 0 ? t.moved(moved) : '',
    sums.fresh > 0 ? t.fresh(sums.fresh) : '',
    sums.dropped > 0 ? t.dropped(sums.dropped) : '',
  ].filter((part) => part !== '');
  const results = parts.length > 0 ? listed(parts) : t.same(rows.length);
  const causes = [
    ...stages
      .filter((row) => row.a.status !== row.b.status)
      .map((row) => t.status(row.stage, row.a.status, row.b.status)),
    ...constants.map((pair) => `${pair.name} ${pair.a} → ${pair.b}`),
    ...facts
      .filter((pair) => pair.name !== t.level)
      .map((pair) => (pair.name === t.epoch ? t.changedMemories : t.otherFact(pair.name))),
  ];
  if (causes.length === 0) return `${results}; ${t.nothingElse}`;
  const shown = causes.slice(0, 2);
  if (causes.length > 2) shown.push(t.moreCauses(causes.length - 2));
  return `${results}: ${listed(shown)}`;
}
