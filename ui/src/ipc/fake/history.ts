/** The invented core's past queries, their files, and what time will do. */
import type {
  ArrivalsRequest,
  ArrivalsView,
  Constants,
  ExportTraceRequest,
  FilterRequest,
  ForecastRequest,
  ForecastView,
  HistoryEntry,
  HistoryRequest,
  HistoryView,
  MemoryFate,
  QueryView,
  RedactionRequest,
  SavedFileView,
  StoredTraceView,
  Trace,
  UsageView,
} from '../bindings';
import { STANDARD } from './constants';
import type { Recalls } from './recalls';
import type { Store } from './store';

interface Row {
  id: string;
  at: string;
  filter: FilterRequest;
  trace: Trace;
}

const DAY = 86_400_000;

/** How finely the toy looks into the future, in days; the real core is exact. */
const STEP = 3;

export class Histories {
  private rows: Row[] = [];
  private next = 1;
  /** What was written, by path. */
  readonly files = new Map<string, string>();

  constructor(
    private readonly store: Store,
    private readonly recalls: Recalls,
    private readonly now: number,
    private readonly missing: () => Error,
    private readonly relevant: (text: string) => ReadonlySet<string>,
  ) {}

  /** Keeps a query whose reranker has read all it should. */
  keep(view: QueryView): QueryView {
    const { trace } = view;
    if (view.unscored > 0 || trace.query.trim() === '') return view;
    const last = this.rows[0];
    const typed =
      last !== undefined &&
      JSON.stringify(last.trace.constants) === JSON.stringify(trace.constants) &&
      (last.trace.query.startsWith(trace.query) || trace.query.startsWith(last.trace.query));
    if (typed) this.rows.shift();
    const row: Row = {
      id: typed ? last.id : `t${this.next}`,
      at: new Date(this.now + this.next * 60_000).toISOString(),
      filter: this.recalls.filter(view.recall),
      trace,
    };
    if (!typed) this.next += 1;
    this.rows.unshift(row);
    return view;
  }

  list(request: HistoryRequest): HistoryView {
    const from = request.before ? this.rows.findIndex((row) => row.id === request.before) + 1 : 0;
    return {
      total: this.rows.length,
      entries: this.rows
        .slice(from, from + Math.max(1, request.limit ?? 1))
        .map((row) => this.entry(row)),
    };
  }

  stored(id: string): StoredTraceView {
    const row = this.row(id);
    const ids = new Set(row.trace.stages.flatMap((stage) => stage.items.map((item) => item.id)));
    const known = [...ids].filter((one) => this.store.get(one) !== undefined);
    return {
      ...row,
      channel: 'window',
      filter: { ...NOBODY, ...row.filter },
      cards: Object.fromEntries(known.map((one) => [one, this.store.card(one, [])])),
    };
  }

  /** Whatever a person asks is answered to that person: nothing is told of its use. */
  usage(id: string): UsageView {
    this.row(id);
    return { session: null, answered_at: null, memories: [] };
  }

  clear(): number {
    const count = this.rows.length;
    this.rows = [];
    return count;
  }

  export(request: ExportTraceRequest): string {
    const named = request.trace;
    const trace =
      named.of === 'stored'
        ? this.row(named.id).trace
        : this.recalls.under(named.recall, named.constants, named.now);
    const shown = request.redacted ? redacted(trace, request.redacted) : { trace };
    return JSON.stringify(shown, null, 2);
  }

  save(request: ExportTraceRequest, path: string): SavedFileView {
    const text = this.export(request);
    this.files.set(path, text);
    return { path, bytes: text.length };
  }

  forecast(request: ForecastRequest): ForecastView {
    const constants = { ...STANDARD, ...request.constants } as Constants;
    const own = Date.parse(this.recalls.clock(request.recall));
    const now = request.now ? Date.parse(request.now) : own;
    const until = Math.max(now, own + request.days * DAY);
    const at = (moment: number) =>
      this.recalls.under(request.recall, constants, new Date(moment).toISOString()).results;
    const changes: { at: number; results: string[] }[] = [];
    const start = at(now);
    let before = start;
    for (let moment = now + STEP * DAY; moment <= until; moment += STEP * DAY) {
      const after = at(moment);
      if (after.join() !== before.join()) changes.push({ at: moment, results: after });
      before = after;
    }
    const ids = new Set([start, ...changes.map((change) => change.results)].flat());
    return {
      clock: new Date(now).toISOString(),
      from: new Date(now).toISOString(),
      until: new Date(until).toISOString(),
      exact: true,
      unread: false,
      results: constants.results,
      changes: changes.map((change, index) => {
        const held = changes[index - 1]?.results ?? start;
        return {
          at: new Date(change.at).toISOString(),
          entered: change.results.filter((id) => !held.includes(id)),
          left: held.filter((id) => !change.results.includes(id)),
          moved: change.results.filter((id, place) => held.includes(id) && held[place] !== id)
            .length,
        };
      }),
      memories: Object.fromEntries([...ids].map((id) => [id, fate(id, start, changes)])),
    };
  }

  arrivals(request: ArrivalsRequest): ArrivalsView {
    const text = this.recalls.text(request.recall);
    const constants = { ...STANDARD, ...request.constants } as Constants;
    const results = this.recalls.results(text, constants);
    return { entering: results.filter((id) => request.ids.includes(id)) };
  }

  private row(id: string): Row {
    const row = this.rows.find((one) => one.id === id);
    if (!row) throw this.missing();
    return row;
  }

  private entry({ id, at, filter, trace }: Row): HistoryEntry {
    const relevant = this.relevant(trace.query);
    const found = trace.results.findIndex((one) => relevant.has(one)) + 1;
    const outcome =
      found > 0
        ? 'found'
        : relevant.size > 0
          ? 'missed'
          : trace.results.length === 0
            ? 'empty'
            : 'unjudged';
    return {
      id,
      at,
      query: trace.query,
      clock: trace.now,
      mode: trace.mode,
      channel: 'window',
      level: trace.level,
      troubled: trace.stages
        .filter((stage) => stage.status === 'failed' || stage.status === 'degraded')
        .map((stage) => stage.name),
      filter: { ...NOBODY, ...filter },
      results: trace.results.length,
      outcome,
      found_rank: found > 0 ? found : null,
      usage: null,
      elapsed_ms: trace.stages.reduce((sum, stage) => sum + stage.elapsed_ms, 0),
    };
  }
}

const NOBODY = {
  org: null,
  agents: [],
  session: null,
  roles: [],
  kinds: [],
  source: null,
  tags: [],
  after: null,
  before: null,
  unflagged: false,
};

function fate(id: string, start: string[], changes: { at: number; results: string[] }[]) {
  const place = (list: string[]) => {
    const index = list.indexOf(id);
    return index < 0 ? null : index + 1;
  };
  const rank = place(start);
  const next = changes.find((change) => place(change.results) !== rank);
  const turned = changes.find((change) => (place(change.results) === null) !== (rank === null));
  const iso = (change: { at: number } | undefined) =>
    change ? new Date(change.at).toISOString() : null;
  const shown: MemoryFate = {
    rank,
    leaves_at: rank === null ? null : iso(turned),
    enters_at: rank === null ? iso(turned) : null,
    next_at: iso(next),
    next_rank: next ? place(next.results) : null,
  };
  return shown;
}

function redacted(trace: Trace, wanted: RedactionRequest) {
  const names = new Map<string, string>();
  const nameOf = (id: string) => {
    if (wanted.keep_ids) return id;
    if (!names.has(id)) names.set(id, `memory-${names.size + 1}`);
    return names.get(id);
  };
  return {
    format: 'lethescope-trace-redacted/1',
    query: wanted.query ? { text: trace.query } : { characters: trace.query.length },
    constants: trace.constants,
    stages: trace.stages.map((stage) => ({
      name: stage.name,
      status: stage.status,
      items: stage.items.map((item) => ({ ...item, id: nameOf(item.id) })),
    })),
    results: trace.results.map(nameOf),
  };
}
