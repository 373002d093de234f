/**
 * Everything the X-ray remembers between two visits of its screen.
 *
 * One store per backend; it empties itself when the vault is locked, since it holds memory text.
 */
import { useRef, useSyncExternalStore } from 'react';
import { type Backend, backend } from '../../ipc/backend';
import type {
  Constants,
  ExportTraceRequest,
  FilterRequest,
  Mode,
  PresetView,
  QueryView,
  Stage,
  StoredTraceView,
} from '../../ipc/bindings';
import { sameConstants } from '../../words/constants';
import { Arrivals } from './arrivals';
import { frozenView } from './history/frozen';
import { NOTHING, Recall, type RecallState } from './recall';
import { EVERYTHING, type Narrowed } from './shown';

export type Density = 'overview' | 'debug';
export type AsideTab = 'results' | 'verdict' | 'memory' | 'context' | 'beside';

/** What an editor starts with instead of what is stored; null leaves a field as it is. */
export interface Draft {
  id: string;
  content: string | null;
  tags: string[] | null;
}

export interface XrayState extends RecallState {
  text: string;
  mode: Mode;
  agents: string[];
  /** RFC 3339; null is the present. */
  now: string | null;
  preset: PresetView | null;
  constants: Constants | null;
  density: Density;
  flow: 'flow' | 'table';
  /** The stage whose list is open. */
  stage: Stage | null;
  tab: AsideTab;
  /** The memory whose details are open. */
  open: string | null;
  /** The memory whose details were closed last, until its row has the focus again. */
  left: string | null;
  /** What the list of results is narrowed to; nothing is asked again for it. */
  narrowed: Narrowed;
  /** The memory whose conversation is read. */
  session: string | null;
  /** A change of the open memory that was tried and is put before the person, not yet made. */
  draft: Draft | null;
  /** The memory that should have come up. */
  expected: string | null;
  /** Values that Try replaced, by constant. */
  tried: Partial<Record<keyof Constants, Constants[keyof Constants]>>;
  /** The constant that Try set last, and how often it did: its slider is shown and lit. */
  revealed: { constant: keyof Constants; times: number } | null;
  /** How many memories came in since the query was answered that would be among its results. */
  entering: number;
  /** What a replayed query was narrowed to besides its agents. */
  rest: FilterRequest;
  /** A past query that is shown as it was; the one that stood before waits behind it. */
  frozen: StoredTraceView | null;
  /** The logs of a new vault are being read, and a first question is asked for the person. */
  beginning: boolean;
  /** Whether the list of past queries is open. */
  history: boolean;
  /** The trace that is being written to a file. */
  exporting: ExportTraceRequest['trace'] | null;
}

/** With which constants and by which clock a past query is asked again. */
export interface Replay {
  constants: 'then' | 'today';
  clock: 'then' | 'now';
}

const START: XrayState = {
  ...NOTHING,
  text: '',
  mode: 'hybrid',
  agents: [],
  now: null,
  preset: null,
  constants: null,
  density: 'overview',
  flow: 'flow',
  stage: null,
  tab: 'results',
  open: null,
  left: null,
  narrowed: EVERYTHING,
  session: null,
  draft: null,
  expected: null,
  tried: {},
  revealed: null,
  entering: 0,
  rest: {},
  frozen: null,
  beginning: false,
  history: false,
  exporting: null,
};

/** How long a pause in typing starts a search. */
export const TYPING_MS = 220;

export class XrayStore {
  private state: XrayState = START;
  private readonly listeners = new Set<() => void>();
  private readonly recall: Recall;
  private readonly arrivals: Arrivals;
  private typing: ReturnType<typeof setTimeout> | null = null;
  /** The way back from what the verdict applied last. */
  private applied: (() => void) | null = null;
  /** The result that had the focus last: leaving what was opened from it leads back there. */
  row: string | null = null;
  /** What was expected of which question: asked again, it is followed again. */
  private readonly expectedOf = new Map<string, string>();
  /** The query that waits behind a past one. */
  private waiting: (RecallState & { text: string }) | null = null;

  constructor(port: Backend) {
    this.recall = new Recall(port, (recall) => this.answered(recall));
    this.arrivals = new Arrivals(port, (entering) => this.set({ entering }));
    port.onNotice((notice) => {
      if (notice.type === 'locked' || notice.type === 'reopened') this.reset();
      else if (notice.type === 'memories' && this.live()) {
        // New memories wait behind a pill, so that nothing moves under the pointer; an edit, a
        // deletion or an undo is the person's own doing and shows at once.
        // What a person changed last is what undo takes back.
        if (notice.added === 0) this.applied = null;
        if (notice.added > 0) this.arrivals.note(notice.latest, () => this.live());
        else if (!this.state.frozen) this.again();
      } else if (notice.type === 'embedded') this.arrivals.look(() => this.live());
    });
  }

  /** The standing query with what it is ranked by. */
  private live() {
    const view = this.waiting?.view ?? (this.state.frozen ? null : this.state.view);
    const { constants } = this.state;
    return view && constants ? { recall: view.recall, constants } : null;
  }

  /** An answer never paints over a past query that is being looked at. */
  private answered(recall: RecallState): void {
    if (this.waiting) this.waiting = { ...recall, text: this.waiting.text };
    else this.set(recall);
  }

  readonly subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  readonly get = () => this.state;

  /** Changes what is shown; asks nothing. */
  set(part: Partial<XrayState>): void {
    this.state = { ...this.state, ...part };
    for (const listener of this.listeners) listener();
  }

  /** Forgets the query and everything read for it. */
  reset(): void {
    if (this.typing) clearTimeout(this.typing);
    this.state = START;
    this.waiting = null;
    this.applied = null;
    this.expectedOf.clear();
    this.row = null;
    this.arrivals.forget();
    this.recall.forget();
  }

  /** Typing: the search follows in a pause. */
  type(text: string): void {
    this.closeStored();
    this.set({ text });
    if (this.typing) clearTimeout(this.typing);
    this.typing = setTimeout(() => this.ask(), TYPING_MS);
  }

  /** Searches at once. `changes` are taken over first. */
  ask(
    changes: Partial<
      Pick<XrayState, 'text' | 'mode' | 'agents' | 'now' | 'expected' | 'rest'>
    > = {},
  ): void {
    if (this.typing) clearTimeout(this.typing);
    this.typing = null;
    this.closeStored();
    this.arrivals.forget();
    // A text of one's own is no replay any more.
    const rest = changes.text === undefined ? this.state.rest : {};
    this.set({ rest, ...changes, entering: 0 });
    if (this.state.asked && this.state.text !== this.state.asked.text) this.begin(changes);
    this.applied = null;
    const { text, mode, now, constants } = this.state;
    if (text.trim() === '') {
      this.recall.forget();
      this.set({ open: null, tab: 'results', stage: null });
      return;
    }
    if (!constants) return;
    void this.recall.ask({ text, mode, filter: this.filter(), constants, now, rerank: false });
  }

  /**
   * Another question: what was opened for the one before is closed. What was expected of that one
   * is expected no longer, unless this is the same wish in other words; what was expected of this
   * one when it was asked before is expected again.
   */
  private begin(changes: Partial<Pick<XrayState, 'expected'>>): void {
    const wish = 'expected' in changes ? (changes.expected ?? null) : null;
    const question = this.state.text.trim();
    if (wish !== null) this.expectedOf.set(question, wish);
    const expected = 'expected' in changes ? wish : (this.expectedOf.get(question) ?? null);
    const tab = wish === null ? 'results' : 'verdict';
    const closed = { open: null, left: null, session: null, draft: null, stage: null };
    this.set({ ...closed, narrowed: EVERYTHING, tried: {}, expected, tab });
  }

  /** Asks the same again, for example after a memory was changed. */
  again(): void {
    if (this.state.asked) this.ask();
  }

  /** What may be seen. */
  filter(): FilterRequest {
    return { ...this.state.rest, agents: this.state.agents };
  }

  /** Takes over the preset in force; a draft in progress stays. */
  adopt(preset: PresetView): void {
    const held = this.state.preset;
    if (held?.name === preset.name && sameConstants(held.constants, preset.constants)) return;
    this.applyPreset(preset);
  }

  /** Ranks with a preset. */
  applyPreset(preset: PresetView): void {
    const waiting = this.state.constants === null && this.state.text !== '';
    this.set({ preset, constants: preset.constants, tried: {} });
    if (waiting) this.ask();
    else this.recall.tune(preset.constants);
  }

  /** Moves constants. */
  tune(changes: Partial<Constants>): void {
    const constants = this.state.constants;
    if (!constants || this.state.frozen) return;
    const next = { ...constants, ...changes };
    if (sameConstants(constants, next)) return;
    this.set({ constants: next });
    this.recall.tune(next);
  }

  /** Ranks by another clock, as fast as constants; null goes back to the query's own. */
  scrub(now: string | null): void {
    const { constants, asked, frozen } = this.state;
    if (!constants || frozen || now === this.state.now) return;
    if (now === null && asked && asked.now !== null) {
      this.ask({ now: null });
      return;
    }
    this.set({ now });
    this.recall.tune(constants, now);
  }

  /** Shows a past query as it was. Nothing is asked; what stood before comes back on closing. */
  openStored(stored: StoredTraceView): void {
    if (this.typing) clearTimeout(this.typing);
    const { asked, view, own, cards, lanes, phase, error, text } = this.state;
    this.waiting ??= { asked, view, own, cards, lanes, phase, error, text };
    this.set({
      frozen: stored,
      text: stored.trace.query,
      view: frozenView(stored),
      cards: stored.cards,
      phase: 'settled',
      error: null,
      open: null,
      expected: null,
      stage: null,
      tab: 'results',
    });
  }

  /** The answer that waits behind a past query. */
  present(): (Pick<RecallState, 'cards'> & { view: QueryView }) | null {
    const waiting = this.waiting;
    return waiting?.view ? { view: waiting.view, cards: waiting.cards } : null;
  }

  /** Offers the trace on screen as a file. */
  exportTrace(): void {
    const { view, frozen } = this.state;
    if (!view) return;
    const { constants, now } = view.trace;
    this.set({
      exporting: frozen
        ? { of: 'stored', id: frozen.id }
        : { of: 'recall', recall: view.recall, constants, now },
    });
  }

  /** Goes back from a past query to the one that stood before. */
  closeStored(): void {
    const waiting = this.waiting;
    if (!waiting) return;
    this.waiting = null;
    this.set({ ...waiting, frozen: null, open: null, stage: null, tab: 'results' });
  }

  /** Asks a past query again. */
  replay(stored: StoredTraceView, how: Replay): void {
    const { agents, ...rest } = stored.filter;
    if (how.constants === 'then') this.set({ constants: stored.trace.constants, tried: {} });
    this.ask({
      text: stored.trace.query,
      mode: stored.trace.mode,
      agents: agents ?? [],
      rest,
      now: how.clock === 'then' ? stored.trace.now : null,
      expected: null,
    });
    this.set({ open: null, stage: null, tab: 'results' });
  }

  /** Sets a constant as the verdict proposes, and keeps what it was. */
  tryOut(name: keyof Constants, value: Constants[keyof Constants]): void {
    this.tryTogether({ [name]: value });
  }

  /** Sets constants that help together only; they are taken back together. */
  tryTogether(changes: Partial<Constants>): void {
    const constants = this.state.constants;
    const names = Object.keys(changes) as Array<keyof Constants>;
    const [constant] = names;
    if (!constants || constant === undefined) return;
    const before = Object.fromEntries(names.map((name) => [name, constants[name]]));
    const times = (this.state.revealed?.times ?? 0) + 1;
    this.set({
      tried: { ...before, ...this.state.tried },
      revealed: { constant, times },
    });
    this.tune(changes);
    this.applied = () => {
      for (const name of names) this.undoTry(name);
    };
  }

  /** Ranks with a preset, as the verdict proposes. */
  tryPreset(preset: PresetView): void {
    const { preset: before, constants } = this.state;
    this.applyPreset(preset);
    this.applied = () => {
      if (before) this.set({ preset: before, tried: {} });
      if (constants) this.tune(constants);
    };
  }

  /** Asks in other words, as the verdict proposes; the way back is the last thing applied. */
  askInstead(text: string, mode: Mode, expected: string): void {
    const before = { text: this.state.asked?.text ?? this.state.text, mode: this.state.mode };
    this.ask({ text, mode, expected });
    this.applied = () => this.ask({ ...before, expected });
  }

  /** Takes back what the verdict applied last; false when a person's own doing came after it. */
  unapply(): boolean {
    const { applied } = this;
    this.applied = null;
    applied?.();
    return applied !== null;
  }

  /** Takes a tried value back. */
  undoTry(name: keyof Constants): void {
    const { [name]: before, ...tried } = this.state.tried;
    this.applied = null;
    this.set({ tried });
    if (before !== undefined) this.tune({ [name]: before });
  }

  /** Opens a memory's details. */
  openMemory(id: string): void {
    this.set({ open: id, draft: null, tab: 'memory' });
  }

  /** Opens a memory's editor with a change in it; only saving makes it. */
  openDraft(draft: Draft): void {
    this.set({ open: draft.id, draft, tab: 'memory' });
  }

  /** Closes the details; the expected memory's verdict or the results come back. */
  closeMemory(): void {
    const { open, expected } = this.state;
    this.set({ open: null, left: open, draft: null, tab: expected ? 'verdict' : 'results' });
  }

  /** Debug gives the lists the whole width until something is opened. */
  setDensity(density: Density): void {
    const tab = density === 'overview' && this.state.expected !== null ? 'verdict' : 'results';
    this.set({ density, stage: null, open: null, tab });
  }

  /** Another reranker is in use from now on: the standing query is asked again with it. */
  rerankWith(rerank: Constants['rerank']): void {
    const { constants, preset } = this.state;
    if (!constants) return;
    const followed = preset?.builtin
      ? { ...preset, constants: { ...preset.constants, rerank } }
      : preset;
    this.set({ constants: { ...constants, rerank }, preset: followed });
    this.again();
  }

  /** "I expected this one." */
  expect(id: string | null): void {
    const question = this.state.asked?.text.trim();
    if (question !== undefined && id === null) this.expectedOf.delete(question);
    else if (question !== undefined && id !== null) this.expectedOf.set(question, id);
    this.set({ expected: id, tab: id === null ? 'results' : 'verdict', tried: {} });
  }
}

const stores = new WeakMap<Backend, XrayStore>();

/** The store of the backend in force. */
export function xrayStore(): XrayStore {
  const port = backend();
  let store = stores.get(port);
  if (!store) {
    store = new XrayStore(port);
    stores.set(port, store);
  }
  return store;
}

/** What follows from the X-ray's state; the component draws again only when it becomes another value. */
export function useXrayValue<T extends string | number | boolean | null>(
  of: (state: XrayState) => T,
): T {
  const store = xrayStore();
  return useSyncExternalStore(store.subscribe, () => of(store.get()));
}

/** Whether the constants differ from the preset; a moving slider changes that at most once. */
export function useEdited(): boolean {
  return useXrayValue(
    ({ preset, constants }) =>
      preset !== null && constants !== null && !sameConstants(preset.constants, constants),
  );
}

/**
 * Parts of the X-ray's state; the component draws again only when one of them changes, so that a
 * moving slider doesn't redraw what the answer hasn't reached yet.
 */
export function useXray<K extends keyof XrayState>(...names: K[]): Pick<XrayState, K> {
  const store = xrayStore();
  const held = useRef<Pick<XrayState, K> | null>(null);
  const snapshot = () => {
    const state = store.get();
    const last = held.current;
    if (last !== null && names.every((name) => last[name] === state[name])) return last;
    const next = {} as Pick<XrayState, K>;
    for (const name of names) next[name] = state[name];
    held.current = next;
    return next;
  };
  return useSyncExternalStore(store.subscribe, snapshot);
}
