/**
 * Everything the X-ray remembers between two visits of its screen.
 *
 * One store per backend; it empties itself when the vault is locked, since it holds memory text.
 */
import { useRef, useSyncExternalStore } from 'react';
import { type Backend, backend } from '../../ipc/backend';
import type { Constants, FilterRequest, Mode, PresetView, Stage } from '../../ipc/types';
import { sameConstants } from './constants';
import { NOTHING, Recall, type RecallState } from './recall';

export type Density = 'overview' | 'debug';
export type AsideTab = 'results' | 'verdict' | 'memory' | 'context' | 'beside';

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
  /** The memory that should have come up. */
  expected: string | null;
  /** Values that Try replaced, by constant. */
  tried: Partial<Record<keyof Constants, Constants[keyof Constants]>>;
  /** Memories that came in since the query was answered. */
  arrived: number;
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
  expected: null,
  tried: {},
  arrived: 0,
};

/** How long a pause in typing starts a search. */
export const TYPING_MS = 220;

export class XrayStore {
  private state: XrayState = START;
  private readonly listeners = new Set<() => void>();
  private readonly recall: Recall;
  private typing: ReturnType<typeof setTimeout> | null = null;

  constructor(port: Backend) {
    this.recall = new Recall(port, (recall) => this.set(recall));
    port.onNotice((notice) => {
      if (notice.type === 'locked') this.reset();
      else if (notice.type === 'memories' && this.state.view) {
        // New memories wait behind a chip, so that nothing moves under the pointer; an edit, a
        // deletion or an undo is the person's own doing and shows at once.
        if (notice.added > 0) this.set({ arrived: this.state.arrived + notice.added });
        else this.again();
      }
    });
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
    this.recall.forget();
  }

  /** Typing: the search follows in a pause. */
  type(text: string): void {
    this.set({ text });
    if (this.typing) clearTimeout(this.typing);
    this.typing = setTimeout(() => this.ask(), TYPING_MS);
  }

  /** Searches at once. `changes` are taken over first. */
  ask(
    changes: Partial<Pick<XrayState, 'text' | 'mode' | 'agents' | 'now' | 'expected'>> = {},
  ): void {
    if (this.typing) clearTimeout(this.typing);
    this.typing = null;
    this.set({ ...changes, arrived: 0 });
    const { text, mode, now, constants } = this.state;
    if (text.trim() === '') {
      this.recall.forget();
      this.set({ open: null, tab: 'results', stage: null });
      return;
    }
    if (!constants) return;
    void this.recall.ask({ text, mode, filter: this.filter(), constants, now, rerank: false });
  }

  /** Asks the same again, for example after a memory was changed. */
  again(): void {
    if (this.state.asked) this.ask();
  }

  /** What may be seen. */
  filter(): FilterRequest {
    return { agents: this.state.agents };
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
    if (!constants) return;
    const next = { ...constants, ...changes };
    if (sameConstants(constants, next)) return;
    this.set({ constants: next });
    this.recall.tune(next);
  }

  /** Sets a constant as the verdict proposes, and keeps what it was. */
  tryOut(name: keyof Constants, value: Constants[keyof Constants]): void {
    const constants = this.state.constants;
    if (!constants) return;
    const tried = { ...this.state.tried, [name]: this.state.tried[name] ?? constants[name] };
    this.set({ tried });
    this.tune({ [name]: value });
  }

  /** Takes a tried value back. */
  undoTry(name: keyof Constants): void {
    const { [name]: before, ...tried } = this.state.tried;
    this.set({ tried });
    if (before !== undefined) this.tune({ [name]: before });
  }

  /** Opens a memory's details. */
  openMemory(id: string): void {
    this.set({ open: id, tab: 'memory' });
  }

  /** Closes the details; the expected memory's verdict or the results come back. */
  closeMemory(): void {
    this.set({ open: null, tab: this.state.expected ? 'verdict' : 'results' });
  }

  /** Debug gives the lists the whole width until something is opened. */
  setDensity(density: Density): void {
    const tab = density === 'overview' && this.state.expected !== null ? 'verdict' : 'results';
    this.set({ density, stage: null, open: null, tab });
  }

  /** "I expected this one." */
  expect(id: string | null): void {
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
