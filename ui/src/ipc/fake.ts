/**
 * An in-memory core with invented data, for tests and for `vite --mode fake`.
 *
 * Never part of a production build: only the entry of fake mode and tests import it.
 */
import type { Backend } from './backend';
import { EdgeFailure } from './backend';
import type { ErrorCode, KeychainView, MemoryView, Notice, StatusView } from './bindings';
import { PRESETS } from './fake/constants';
import { documents } from './fake/documents';
import { Goldens } from './fake/golden';
import { Histories } from './fake/history';
import { ingestion } from './fake/ingestion';
import { keychain } from './fake/keychain';
import { latencies } from './fake/latency';
import { InventedNeighbours, inventedMap } from './fake/map';
import { arriving, inventedMemories } from './fake/memories';
import { NearDuplicates } from './fake/near';
import { marked, Recalls } from './fake/recalls';
import { rerankers } from './fake/rerankers';
import { session, sessions } from './fake/sessions';
import { Store } from './fake/store';
import { type Keys, vaultCommands } from './fake/vault';

/** How the invented core starts. */
export interface FakeOptions {
  vault?: StatusView['vault'];
  memories?: number;
  model?: StatusView['model'];
  /** Milliseconds that every answer takes; 0 answers in the next microtask. */
  delay?: number;
  now?: number;
  /** Whether a key slot is the system keychain's, and how that answers. */
  keychain?: KeychainView;
  /** Whether the open vault is the demo's. */
  demo?: boolean;
  /** Whether a page of the vault is damaged. */
  damaged?: boolean;
  /** Whether the first agents' folder is being watched already. */
  watching?: boolean;
}

/** The fake, with handles that tests and the preview pull. */
export interface Fake extends Backend {
  /** Sends a notice, as the core would. */
  notify(notice: Notice): void;
  /** A watched log grows by `count` lines. */
  arrive(count: number): void;
  /** Every later call of a command fails with this code; null ends it. */
  failWith(command: keyof Backend, code: ErrorCode | null, args?: Record<string, string>): void;
  /** The reranking service is left alone for so many seconds. */
  trip(seconds: number): void;
  /** What was written outside the vault, by path. */
  files: ReadonlyMap<string, string>;
  /** Every call so far, oldest first. */
  calls: { command: string; args: unknown[] }[];
}

const PASSPHRASE = 'correct horse battery';

const NO_MERGE = {
  what: 'selection',
  expected: "memories of one agent: agents do not see each other's",
};

function failure(code: ErrorCode, args: Record<string, string> = {}): EdgeFailure {
  return new EdgeFailure({ code, args, retryable: code === 'busy', trace_id: 'fake' });
}

/** Builds an invented core. */
export function createFake(options: FakeOptions = {}): Fake {
  const now = options.now ?? Date.now();
  const delay = options.delay ?? 0;
  const store = new Store(inventedMemories(options.memories ?? 420, now), now);
  const listeners = new Set<(notice: Notice) => void>();
  const failing = new Map<string, EdgeFailure>();
  const calls: Fake['calls'] = [];
  const recalls = new Recalls(store, now, () => failure('not_found'));
  const goldens = new Goldens(recalls, () => failure('not_found'));
  const neighbours = new InventedNeighbours(store);
  const near = new NearDuplicates(store);
  const histories = new Histories(
    store,
    recalls,
    now,
    () => failure('not_found'),
    (text) => goldens.relevant(text),
  );
  let vault = options.vault ?? 'open';
  let demo = options.demo ?? true;
  const keyring: Keys = {
    slots: [{ kind: 'passphrase', secret: PASSPHRASE }],
    damaged: options.damaged ?? false,
  };
  let model: StatusView['model'] = options.model ?? {
    state: 'ready',
    id: 'all-MiniLM-L6-v2/int8',
    dimension: 384,
  };
  const settings = {
    lock_after_minutes: 15,
    theme: 'system',
    keep_token_vectors: true,
    preset: 'Standard',
    editor: '',
    editors: [
      { name: 'Visual Studio Code', command: 'code -g {file}:{line}' },
      { name: 'Zed', command: 'zed {file}:{line}' },
    ],
    presets: PRESETS.map((one) => ({ ...one })),
  };
  const notify = (notice: Notice) => {
    for (const listener of listeners) listener(notice);
  };
  const papers = documents(now, failure);
  const readers = rerankers(() => settings.presets, failure);
  const chain = keychain(options.keychain ?? { slot: false, state: 'ready' }, failure);
  const intake = ingestion(notify, options.watching ?? true, now, failure);

  const status = (): StatusView => {
    const open = vault === 'open';
    const living = store.living().length;
    return {
      version: '0.1.0',
      vault,
      demo: open && demo,
      folder:
        open && demo
          ? '/home/ada/.local/share/lethescope/demo'
          : '/home/ada/.local/share/lethescope/vault',
      model,
      memories: open ? living : 0,
      trash: open ? store.trashed().length : 0,
      embedded: open && model.state === 'ready' ? living : 0,
      embeddable: open ? living : 0,
      vectors_of: null,
      sources: open ? intake.sources().length : 0,
      tables: open
        ? {
            memories: living + store.trashed().length,
            memory_text: living,
            words: living,
            trigrams: living,
            embeddings: living,
            sources: 3,
            files: 14,
            settings: 3,
            traces: 27,
          }
        : {},
      damaged: open && keyring.damaged ? ['traces'] : [],
      schema: 7,
      libraries: {
        SQLCipher: '4.20.0',
        SQLite: '3.54.1',
        'sqlite-vec': '0.1.9',
        'ONNX Runtime': '1.32.0',
      },
      lock_after_minutes: settings.lock_after_minutes,
      idle_lock_in_seconds:
        open && settings.lock_after_minutes > 0 ? settings.lock_after_minutes * 60 : null,
      undo: open ? store.undoable() : null,
    };
  };

  const open = () => {
    if (vault !== 'open') throw failure('locked');
  };
  const memoriesChanged = () => notify({ type: 'memories', added: 0, latest: [] });

  const core: Omit<Backend, 'onNotice' | 'pickFolder' | 'pickFile' | 'pickPlace'> = {
    status: async () => status(),
    createVault: async (given) => {
      if (given.length < 8) throw failure('weak_passphrase');
      keyring.slots = [{ kind: 'passphrase', secret: given }];
      vault = 'open';
      demo = false;
      store.clear();
      return status();
    },
    openDemo: async () => {
      vault = 'open';
      demo = true;
      return status();
    },
    unlock: async (given) => {
      if (!keyring.slots.some((slot) => slot.secret === given)) throw failure('wrong_passphrase');
      vault = 'open';
      demo = false;
      return status();
    },
    keychain: async () => chain.view(),
    unlockByKeychain: async () => {
      chain.open();
      vault = 'open';
      demo = false;
      return status();
    },
    useKeychain: async (given) => {
      if (!keyring.slots.some((slot) => slot.secret === given)) throw failure('wrong_passphrase');
      return chain.use();
    },
    forgetKeychain: async () => chain.forget(),
    lock: async () => {
      vault = 'locked';
      notify({ type: 'locked' });
      return status();
    },
    passphraseStrength: async (given) => {
      const score =
        given.length < 8
          ? 0
          : Math.min(4, Math.floor(given.length / 5) + (given.includes(' ') ? 1 : 0));
      return {
        score,
        advice:
          score < 2
            ? 'Four unrelated words are easy to keep and hard to guess.'
            : 'Good: nobody guesses this.',
      };
    },
    query: async (request) => {
      open();
      return histories.keep(recalls.query(request));
    },
    context: async (request) => recalls.block(request),
    retune: async (request) =>
      request.score_unseen ? histories.keep(recalls.retune(request)) : recalls.retune(request),
    forecast: async (request) => histories.forecast(request),
    arrivals: async (request) => histories.arrivals(request),
    history: async (request) => {
      open();
      return histories.list(request);
    },
    storedTrace: async (id) => histories.stored(id),
    usage: async (id) => histories.usage(id),
    clearHistory: async () => histories.clear(),
    exportTrace: async (request) => histories.export(request),
    saveTrace: async (request, path) => histories.save(request, path),
    ledger: async (name, id) => recalls.ledger(name, id),
    why: async (request) => recalls.why(request),
    pairFix: async () => null,
    queryEdits: async (request) => recalls.edits(request),
    map: async (recall) => {
      open();
      return inventedMap(store, recall ? recalls.cosines(recall) : null);
    },
    neighbourMap: async (request) => {
      open();
      return neighbours.answer(
        request.action,
        request.recall ? recalls.cosines(request.recall) : null,
      );
    },
    judge: async (request) =>
      goldens.judge(recalls.text(request.recall), request.id, request.grade),
    grades: async (name) => goldens.grades(recalls.text(name)),
    goldenQueries: async () => {
      open();
      return goldens.list();
    },
    deleteGoldenQuery: async (id) => goldens.remove(id),
    measure: async (request) =>
      goldens.measure(goldens.preset(settings.preset), request.constants, settings.preset),
    compare: async (request) => goldens.compare(request.a, request.b),
    headroom: async (request) => goldens.headroom(request.constants),
    sweep: async (request) => goldens.sweep(request.constant, request.constants),
    trials: async (request) => goldens.trials(request),
    holdOut: async (request) => goldens.holdOut(request.present, request.chosen),
    importQrels: async (request) => {
      const lines = (request.qrels ?? '').split('\n').filter((line) => line.trim() !== '');
      const texts = new Map(
        (request.topics ?? '').split('\n').map((line) => line.split('\t') as [string, string]),
      );
      const unknown = new Set<string>();
      let judged = 0;
      for (const [at, line] of lines.entries()) {
        const [query, , memory, grade] = line.trim().split(/\s+/);
        if (grade === undefined)
          throw failure('bad_request', {
            what: 'qrels',
            expected: `line ${at + 1}: expected four fields: query 0 document grade`,
          });
        const text = texts.get(query ?? '');
        if (text === undefined) unknown.add(query ?? '');
        else {
          goldens.judge(text, memory ?? '', Number(grade));
          judged += 1;
        }
      }
      return { judged, unknown_queries: [...unknown], unknown_memories: [] };
    },
    exportQrels: async () => goldens.qrels(),
    exportRun: async (request) => goldens.run(request.constants),
    runSuite: async (request) => {
      const suite = JSON.parse(request.suite) as {
        queries: { query: string; expect: (string | { contains: string })[]; top: number }[];
      };
      const cases = suite.queries.map(({ query, expect, top }) => {
        const ranked = recalls.results(query, request.constants);
        const expected = expect.map((one) => {
          const at =
            typeof one === 'string'
              ? ranked.indexOf(one)
              : ranked.findIndex((id) => store.get(id)?.content.includes(one.contains));
          const name = typeof one === 'string' ? one : one.contains;
          return { expect: name, rank: at < 0 ? null : at + 1, passed: at >= 0 && at < top };
        });
        return { query, top, passed: expected.every((one) => one.passed), expected };
      });
      const failures = cases.filter((one) => !one.passed).length;
      return { passed: failures === 0, failures, cases };
    },
    listMemories: async (request) => {
      open();
      return store.page(request);
    },
    facets: async () => {
      open();
      return store.facets();
    },
    sessions: async () => {
      open();
      return sessions(store);
    },
    session: async (id) => {
      const memory = store.get(id);
      if (!memory) throw failure('not_found');
      return session(store, memory);
    },
    openSource: async () => {
      if (settings.editor === '') throw failure('bad_request', { what: 'editor', expected: '' });
      return null;
    },
    latencies: async () => {
      open();
      return latencies(calls.filter((call) => call.command === 'query').length);
    },
    getMemory: async (id, name) => {
      const memory = store.get(id);
      if (!memory) throw failure('not_found');
      const asked = name ? marked(recalls.text(name)) : [];
      return { ...memory, highlights: store.marks(memory.content, asked) };
    },
    editMemory: async (request) => {
      const memory = store.get(request.id ?? '');
      if (!memory) throw failure('not_found');
      if (request.version != null && request.version !== memory.card.version)
        throw failure('conflict');
      const edited = store.edit(memory, request);
      memoriesChanged();
      return edited;
    },
    addMemory: async (request) => {
      const content = request.content ?? '';
      if (content.trim() === '') {
        throw failure('bad_request', { what: 'content', expected: 'some text' });
      }
      const view = store.write(request);
      memoriesChanged();
      return view;
    },
    duplicates: async (at) => near.view(at),
    setNearDuplicate: async (at) => near.moveTo(at),
    keepApart: async (ids) => near.keep(ids, true),
    letJoin: async (ids) => near.keep(ids, false),
    mergeDraft: async (ids) => {
      const draft = store.mergeDraft(ids);
      const agents = new Set(draft.cards.map((card) => card.agent));
      if (agents.size !== 1 || draft.cards.length < 2) throw failure('bad_request', NO_MERGE);
      return draft;
    },
    mergeMemories: async (request) => {
      const merged = store.merge(request);
      if (!merged) throw failure('bad_request', NO_MERGE);
      memoriesChanged();
      return merged;
    },
    deleteMemories: async (ids) => {
      const count = store.trash(ids);
      memoriesChanged();
      return count;
    },
    restoreMemories: async (ids) => {
      const count = store.restore(ids);
      memoriesChanged();
      return count;
    },
    purgeMemories: async (ids) => {
      const count = store.purge(ids);
      memoriesChanged();
      return count;
    },
    undo: async () => {
      const what = store.undo();
      if (what !== null) memoriesChanged();
      return what;
    },
    discoverFolders: async () => intake.discover(),
    dryRun: async (request) => intake.dryRun(request),
    watchFolder: async (request) => intake.watch(request),
    unwatch: async (id) => intake.unwatch(id),
    sources: async () => intake.sources(),
    sourceErrors: async (id) => intake.errors(id),
    settings: async () => ({ ...settings, presets: [...settings.presets] }),
    saveSettings: async (request) => {
      settings.lock_after_minutes = request.lock_after_minutes ?? settings.lock_after_minutes;
      settings.theme = request.theme ?? settings.theme;
      settings.preset = request.preset ?? settings.preset;
      settings.editor = request.editor ?? settings.editor;
      settings.keep_token_vectors = request.keep_token_vectors ?? settings.keep_token_vectors;
      return { ...settings };
    },
    savePreset: async (name, constants) => {
      settings.presets = [
        ...settings.presets.filter((one) => one.name !== name),
        { name, description: '', constants, builtin: false, recommended: false },
      ];
      return { ...settings };
    },
    deletePreset: async (name) => {
      settings.presets = settings.presets.filter((one) => one.name !== name || one.builtin);
      return { ...settings };
    },
    ...papers,
    ...vaultCommands(
      keyring,
      (contains = '') => store.living().filter((one) => one.content.includes(contains)).length,
      failure,
    ),
    rerankers: readers.rerankers,
    useReranker: readers.useReranker,
    forgetRerankService: readers.forgetRerankService,
    demoGuide: async () => [
      {
        query: 'how did we fix the unpack error in the payment gateway?',
        watch_for: 'The fix is not there, although it is in the memory. Ask why.',
        expected: 'm1',
      },
      {
        query: 'ERR_VAL_9021',
        watch_for: 'An exact code is a matter for the word index.',
        expected: null,
      },
      {
        query: '会議室',
        watch_for: 'Three characters go to the trigram index; the English model abstains.',
        expected: null,
      },
    ],
    retryModel: async () => {
      model = { state: 'ready', id: 'all-MiniLM-L6-v2/int8', dimension: 384 };
      notify({ type: 'model' });
      return status();
    },
  };

  const watched = Object.fromEntries(
    Object.entries(core).map(([command, run]) => [
      command,
      async (...args: never[]) => {
        calls.push({ command, args });
        if (delay > 0) await new Promise((done) => setTimeout(done, delay));
        const error = failing.get(command);
        if (error) throw error;
        return (run as (...given: never[]) => Promise<unknown>)(...args);
      },
    ]),
  ) as unknown as typeof core;

  return {
    ...watched,
    calls,
    notify,
    onNotice(callback) {
      listeners.add(callback);
      return () => listeners.delete(callback);
    },
    trip: readers.trip,
    pickFolder: async () => '/home/ada/notes/claw',
    pickFile: async () => '/home/ada/notes/decisions.md',
    pickPlace: async (_title, name) => `/home/ada/${name}`,
    files: histories.files,
    arrive(count) {
      const added: MemoryView[] = Array.from({ length: count }, () =>
        arriving(store.nextId(), now),
      );
      for (const memory of added) store.add(memory);
      notify({ type: 'memories', added: count, latest: added.map((memory) => memory.card.id) });
    },
    failWith(command, code, args) {
      if (code === null) failing.delete(command);
      else failing.set(command, failure(code, args));
    },
  };
}
