/** The invented core's queries: remembered, re-ranked, explained. */
import type {
  Constants,
  ContextEntry,
  ContextRequest,
  ContextView,
  FilterRequest,
  LedgerView,
  Mode,
  QueryEditsView,
  QueryEditView,
  QueryRequest,
  QueryView,
  RetuneRequest,
  Trace,
  VerdictView,
  WhyRequest,
} from '../bindings';
import { STANDARD } from './constants';
import { lanesOf } from './lanes';
import { arrange, type Found, score, words } from './rank';
import { sharedNote, sharedWords } from './sparse';
import type { Store } from './store';
import { verdict } from './why';

interface Recall extends Found {
  text: string;
  mode: Mode;
  filter: FilterRequest;
  now: string;
  scored: Set<string>;
}

/** How many results fit into the invented token budget. */
const FITTING = 8;

/** Words of a query that are worth marking. */
export function marked(text: string): string[] {
  return words(text).filter((word) => word.length > 2);
}

/** All queries since the core was made; unknown names are `missing`. */
export class Recalls {
  private readonly recalls = new Map<string, Recall>();

  constructor(
    private readonly store: Store,
    private readonly now: number,
    private readonly missing: () => Error,
  ) {}

  query(request: QueryRequest): QueryView {
    const name = `r${this.recalls.size + 1}`;
    const at = request.now ?? new Date(this.now).toISOString();
    const recall: Recall = {
      text: request.text,
      mode: request.mode,
      filter: request.filter,
      ...score(request.text, this.store.filtered(request.filter)),
      now: at,
      scored: new Set(),
    };
    this.recalls.set(name, recall);
    const view = this.answer(name, { ...STANDARD, ...request.constants }, at, request.rerank);
    return { ...view, lanes: lanesOf(request.text).texts };
  }

  retune(request: RetuneRequest): QueryView {
    const at = request.now ?? this.held(request.recall).now;
    const constants = { ...STANDARD, ...request.constants };
    const view = this.answer(request.recall, constants, at, request.score_unseen);
    for (const id of request.held?.cards ?? []) delete view.cards[id];
    const stages = view.trace.stages.map((stage) =>
      request.held?.lists[stage.name] === view.lists[stage.name] ? { ...stage, items: [] } : stage,
    );
    return { ...view, trace: { ...view.trace, stages } };
  }

  why(request: WhyRequest): VerdictView {
    const recall = this.held(request.recall);
    if (!this.store.get(request.expected)) throw this.missing();
    const at = request.now ?? recall.now;
    const full = (constants: Constants) =>
      arrange(recall.text, recall.mode, recall, constants, at, () => true);
    const trashed = this.store.trashed().some((one) => one.card.id === request.expected);
    const content = words(this.store.get(request.expected)?.content ?? '');
    return verdict(full({ ...STANDARD, ...request.constants }), request.expected, {
      trashed,
      shared: sharedNote(sharedWords(recall.expansion, content)),
      arrange: full,
    });
  }

  ledger(name: string, id: string): LedgerView {
    const recall = this.held(name);
    const content = words(this.store.get(id)?.content ?? '');
    const terms = recall.terms.map((term) => {
      const tf = content.filter((word) => word === term.text).length;
      const idf = Math.log(1 + recall.raw.length / ((term.matched ?? 0) + 0.5));
      const norm = 0.25 + (0.75 * content.length) / 18;
      const ignored = term.routes.includes('ignored');
      return {
        term: term.text,
        index: 'word',
        document_frequency: term.matched ?? 0,
        idf,
        term_frequency: tf,
        length_norm: norm,
        contribution: ignored ? 0 : (idf * tf * 2.2) / (tf + 1.2 * norm),
      };
    });
    const sum = terms.reduce((total, term) => total + term.contribution, 0);
    const shared_words = sharedWords(recall.expansion, content);
    return { id, terms, sum, engine: sum, reconciles: true, shared_words };
  }

  /** The results of a text under some constants, everything read. */
  results(text: string, constants: Constants): string[] {
    return this.account(text, constants).results;
  }

  /** The trace behind them. */
  account(text: string, constants: Constants): Trace {
    const at = new Date(this.now).toISOString();
    const found = score(text, this.store.filtered({}));
    return arrange(text, 'hybrid', found, constants, at, () => true);
  }

  /** The text of a query and how near it is to every memory. */
  cosines(name: string): { text: string; cosines: ReadonlyMap<string, number> } {
    const recall = this.held(name);
    return { text: recall.text, cosines: new Map(recall.raw.map((one) => [one.id, one.cosine])) };
  }

  /** Other questions, really asked. */
  edits(request: WhyRequest): QueryEditsView {
    const recall = this.held(request.recall);
    const constants = { ...STANDARD, ...request.constants };
    const asked = words(recall.text);
    const own = words(this.store.get(request.expected)?.content ?? '');
    const added = own.filter((word) => word.length > 5 && !asked.includes(word)).slice(0, 2);
    const trials = [
      ...recall.terms
        .filter((term) => term.kind !== 'stop_word')
        .map(({ text }) => ({
          kind: 'drop' as const,
          what: text,
          query: asked.filter((word) => word !== text).join(' '),
        })),
      ...added.map((word) => ({
        kind: 'add' as const,
        what: word,
        query: `${recall.text} ${word}`,
      })),
    ];
    const edits = trials.flatMap((trial): QueryEditView[] => {
      const rank = this.results(trial.query, constants).indexOf(request.expected) + 1;
      return rank > 0 ? [{ ...trial, mode: recall.mode, rank, draft: null }] : [];
    });
    const rewritten = this.rewritten(recall, request.expected, constants);
    return {
      edits: [...edits, ...rewritten].sort((a, b) => a.rank - b.rank),
      tried: trials.length + 1,
      untried: 0,
    };
  }

  /** The question added to the memory's text, tried without storing it. */
  private rewritten(recall: Recall, expected: string, constants: Constants): QueryEditView[] {
    const memory = this.store.get(expected);
    if (!memory || this.store.trashed().some((one) => one.card.id === expected)) return [];
    const content = `${memory.content}\n\n${recall.text}`;
    const all = this.store
      .filtered(recall.filter)
      .map((one) => (one.card.id === expected ? { ...one, content } : one));
    const account = (found: Found) =>
      arrange(recall.text, recall.mode, found, constants, recall.now, () => true).results;
    const after = account(score(recall.text, all));
    const rank = after.indexOf(expected) + 1;
    if (rank === 0) return [];
    const displaced = account(recall).filter((id) => !after.includes(id));
    return [
      {
        kind: 'question',
        what: '',
        query: null,
        mode: recall.mode,
        rank,
        draft: { content, tags: null, displaced, judged: 0, gained: 0, lost: 0 },
      },
    ];
  }

  /** A query's trace under some constants and clock, everything read. */
  under(name: string, constants: Constants, now: string | null): Trace {
    const recall = this.held(name);
    const full = { ...STANDARD, ...constants };
    const at = now ?? recall.now;
    return arrange(recall.text, recall.mode, recall, full, at, () => true);
  }

  /** The clock a query was asked by. */
  clock(name: string): string {
    return this.held(name).now;
  }

  /** What a query was narrowed to. */
  filter(name: string): FilterRequest {
    return this.held(name).filter;
  }

  /** The text of a query. */
  text(name: string): string {
    return this.held(name).text;
  }

  private held(name: string): Recall {
    const recall = this.recalls.get(name);
    if (!recall) throw this.missing();
    return recall;
  }

  private trace(recall: Recall, constants: Constants, at: string): Trace {
    const trace = arrange(recall.text, recall.mode, recall, constants, at, (id) =>
      recall.scored.has(id),
    );
    return { ...trace, lanes: lanesOf(recall.text).lanes };
  }

  private answer(name: string, constants: Constants, at: string, readAll: boolean): QueryView {
    const recall = this.held(name);
    let trace = this.trace(recall, constants, at);
    if (readAll) {
      for (const item of rerankWindow(trace)) recall.scored.add(item.id);
      trace = this.trace(recall, constants, at);
    }
    const ids = new Set(trace.stages.flatMap((stage) => stage.items.map((item) => item.id)));
    const asked = marked(recall.text);
    return {
      recall: name,
      trace,
      lists: Object.fromEntries(
        trace.stages.map((stage) => [stage.name, JSON.stringify(stage.items)]),
      ),
      unscored: rerankWindow(trace).filter((item) => !item.reranked).length,
      cards: Object.fromEntries([...ids].map((id) => [id, this.store.card(id, asked)])),
      context: this.context(trace, recall),
      beside: '',
      lanes: null,
    };
  }

  /** The block of a query in the form asked for; the invented core writes both alike. */
  block(request: ContextRequest): ContextView {
    const recall = this.held(request.recall);
    const at = request.now ?? recall.now;
    const trace = this.trace(recall, { ...STANDARD, ...request.constants }, at);
    const view = this.context(trace, recall);
    const block = view.block.replaceAll('memory-context', `memory-${request.format}`);
    return { ...view, block };
  }

  private context(trace: Trace, recall: Recall): QueryView['context'] {
    const content = (id: string) => this.store.get(id)?.content ?? '';
    const entries: ContextEntry[] = trace.results.map((id, index) => ({
      id,
      lane: 'memory',
      tokens: Math.ceil(content(id).length / 4) + 24,
      included: index < FITTING,
      reason: index < FITTING ? null : 'over the token budget',
    }));
    const found = trace.lanes?.memory_lookup?.hits.filter((hit) => hit.injected) ?? [];
    for (const { key, tokens } of found)
      entries.push({ id: key, lane: 'research', tokens, included: true, reason: null });
    const research_tokens = found.reduce((sum, hit) => sum + hit.tokens, 0);
    const fenced = trace.results.slice(0, FITTING).map(content);
    return {
      block: ['<memory-context>', ...fenced, '</memory-context>'].join('\n'),
      tokens: entries.filter((one) => one.included).reduce((sum, one) => sum + one.tokens, 0),
      research_tokens,
      budget: trace.constants.token_budget,
      naive_tokens: recall.raw.reduce((sum, one) => sum + Math.ceil(one.content.length / 4), 0),
      entries,
    };
  }
}

function rerankWindow(trace: Trace) {
  const part = trace.stages.find((stage) => stage.name === 'rerank');
  return part?.items.filter((item) => item.dropped === null) ?? [];
}
