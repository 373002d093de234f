/**
 * One query and its re-rankings: who asks, who waits, and whose answer counts.
 *
 * - A new query paints as soon as it is ranked without the reranker; then the reranker reads.
 * - While constants move, one re-ranking runs at a time and the newest wish waits, so a fast hand
 *   never builds a queue. The first wish of a frame is asked for at once, later ones in the next.
 * - An answer to an older query, or to constants that have moved on, never overwrites a newer one;
 *   nor can the older one, should it reach the core last, call the newer one off.
 */
import { type Backend, EdgeFailure } from '../../ipc/backend';
import type {
  Constants,
  LaneTexts,
  MemoryCard,
  QueryRequest,
  QueryView,
  Trace,
} from '../../ipc/bindings';

export type Phase = 'idle' | 'searching' | 'reading' | 'settled';

export interface RecallState {
  /** What was asked last, whether answered or not. */
  asked: QueryRequest | null;
  view: QueryView | null;
  /** The clock the query was asked by, RFC 3339; the one on screen may have been moved. */
  own: string | null;
  /** Every card seen for this query: a re-ranking sends those that are new to its lists. */
  cards: Readonly<Record<string, MemoryCard>>;
  /** Texts of what stands beside the memories; a re-ranking sends them when others stand there. */
  lanes: LaneTexts | null;
  phase: Phase;
  /** Why the newest question failed; the last good answer stays visible below it. */
  error: unknown;
}

/** Time, so that tests can turn it. */
export interface Scheduler {
  frame(run: () => void): void;
  later(run: () => void, ms: number): () => void;
}

/** The window's own frames and timers. */
export const windowScheduler: Scheduler = {
  frame: (run) => void requestAnimationFrame(run),
  later: (run, ms) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** How long the constants rest before the reranker reads what it has not seen. */
export const SETTLE_MS = 140;

/** How often the newest question is asked again when an older one called it off. */
const CALLED_OFF_MOST = 3;

/** What the answer on screen should be ranked by. */
interface Wish {
  constants: Constants;
  /** RFC 3339; null is the query's own clock. */
  now: string | null;
}

type Port = Pick<Backend, 'query' | 'retune'>;

export const NOTHING: RecallState = {
  asked: null,
  view: null,
  own: null,
  cards: {},
  lanes: null,
  phase: 'idle',
  error: null,
};

export class Recall {
  private state: RecallState = NOTHING;
  private generation = 0;
  private wanted: Wish | null = null;
  /** The wish that was asked for last. */
  private begun: Wish | null = null;
  private running = false;
  private framed = false;
  private cancelSettle: (() => void) | null = null;

  constructor(
    private readonly port: Port,
    private readonly changed: (state: RecallState) => void,
    private readonly scheduler: Scheduler = windowScheduler,
  ) {}

  /** Searches anew. */
  async ask(request: QueryRequest & { constants: Constants }): Promise<void> {
    this.generation += 1;
    const mine = this.generation;
    const wish: Wish = { constants: request.constants, now: null };
    this.wanted = wish;
    this.cancelSettle?.();
    this.set({ asked: request, phase: 'searching' });
    try {
      const view = await this.answered({ ...request, rerank: false }, mine);
      if (mine !== this.generation) return;
      this.accept(view, false);
      if (this.wanted !== wish) this.pump();
      else void this.readUnseen();
    } catch (error) {
      if (mine === this.generation) {
        this.set({ error, phase: 'settled', view: null, cards: {}, lanes: null });
      }
    }
  }

  /**
   * The core answers one question at a time: the one that begins last calls the one before off.
   * Two that are sent at once may begin in either order, so the newest asks again.
   */
  private async answered(request: QueryRequest, mine: number): Promise<QueryView> {
    for (let left = CALLED_OFF_MOST; ; left--) {
      try {
        return await this.port.query(request);
      } catch (error) {
        const calledOff = error instanceof EdgeFailure && error.edge.code === 'cancelled';
        if (!calledOff || mine !== this.generation || left === 0) throw error;
      }
    }
  }

  /** Ranks the same candidates under other constants, or by another clock. */
  tune(constants: Constants, now: string | null = this.wanted?.now ?? null): void {
    this.wanted = { constants, now };
    this.cancelSettle?.();
    if (this.framed || !this.state.view) return;
    this.framed = true;
    this.scheduler.frame(() => {
      this.framed = false;
      if (this.wanted !== this.begun) this.pump();
    });
    this.pump();
  }

  /** Drops everything that was read from the vault. */
  forget(): void {
    this.generation += 1;
    this.wanted = null;
    this.cancelSettle?.();
    this.state = NOTHING;
    this.changed(this.state);
  }

  private set(part: Partial<RecallState>): void {
    this.state = { ...this.state, ...part };
    this.changed(this.state);
  }

  /** What the window has already is not sent again: cards, and lists that come out the same. */
  private async rankAgain(held: QueryView, wish: Wish, score_unseen: boolean): Promise<QueryView> {
    const cards = Object.keys(this.state.cards);
    const view = await this.port.retune({
      recall: held.recall,
      ...wish,
      score_unseen,
      held: { cards, lists: held.lists, beside: held.beside },
    });
    return { ...view, trace: withLists(view, held) };
  }

  private accept(view: QueryView, sameQuery: boolean): void {
    // Nothing new leaves the record the same object, and what draws it is left alone.
    const more = Object.keys(view.cards).length > 0;
    const all = more ? { ...this.state.cards, ...view.cards } : this.state.cards;
    const cards = sameQuery ? all : view.cards;
    const lanes = sameQuery ? (view.lanes ?? this.state.lanes) : view.lanes;
    const waits = view.unscored > 0 && view.trace.constants.rerank !== 'off';
    const own = sameQuery ? this.state.own : view.trace.now;
    this.set({ view, own, cards, lanes, error: null, phase: waits ? 'reading' : 'settled' });
  }

  private async pump(): Promise<void> {
    const view = this.state.view;
    const wish = this.wanted;
    // While a search runs, its answer picks the newest wish up.
    if (this.running || !view || !wish || this.state.phase === 'searching') return;
    this.running = true;
    this.begun = wish;
    const mine = this.generation;
    try {
      const next = await this.rankAgain(view, wish, false);
      if (mine === this.generation) this.accept(next, true);
    } catch (error) {
      if (mine === this.generation) this.set({ error });
    }
    this.running = false;
    if (this.wanted !== wish) this.pump();
    else if (mine === this.generation) {
      this.cancelSettle = this.scheduler.later(() => void this.readUnseen(), SETTLE_MS);
    }
  }

  private async readUnseen(): Promise<void> {
    const view = this.state.view;
    const wish = this.wanted;
    if (!view || !wish || view.unscored === 0) return;
    if (view.trace.constants.rerank === 'off') return;
    const mine = this.generation;
    this.set({ phase: 'reading' });
    try {
      const read = await this.rankAgain(view, wish, true);
      // Scores are kept in the core: if the constants moved on, the next re-ranking has them.
      if (mine !== this.generation || this.wanted !== wish) return;
      this.accept(read, true);
      // What the reranker could not read (it failed, or its time was up) is not asked for again.
      this.set({ phase: 'settled' });
    } catch (error) {
      if (mine === this.generation && this.wanted === wish) {
        this.set({ error, phase: 'settled' });
      }
    }
  }
}

/** The trace with the lists that were left out, since the window held them: the same objects. */
function withLists(view: QueryView, held: QueryView): Trace {
  const stages = view.trace.stages.map((stage) => {
    const digest = view.lists[stage.name];
    if (digest === undefined || digest !== held.lists[stage.name]) return stage;
    const items = held.trace.stages.find((one) => one.name === stage.name)?.items;
    return items ? { ...stage, items } : stage;
  });
  return { ...view.trace, stages };
}
