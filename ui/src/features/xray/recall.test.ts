import { describe, expect, it, vi } from 'vitest';
import { EdgeFailure } from '../../ipc/backend';
import type { QueryRequest, QueryView, RetuneRequest, Stage } from '../../ipc/bindings';
import { STANDARD, traceOf, viewOf } from '../../testing/trace';
import { Recall, type RecallState, type Scheduler } from './recall';

interface Pending<T> {
  request: T;
  answer: (view: QueryView) => void;
  fail: (error: Error) => void;
}

/** A core whose answers come when the test says so, and a clock that the test turns. */
function set() {
  const queries: Pending<QueryRequest>[] = [];
  const retunes: Pending<RetuneRequest>[] = [];
  const hold =
    <T>(list: Pending<T>[]) =>
    (request: T) =>
      new Promise<QueryView>((answer, fail) => list.push({ request, answer, fail }));
  const frames: Array<() => void> = [];
  const timers: Array<() => void> = [];
  const scheduler: Scheduler = {
    frame: (run) => frames.push(run),
    later: (run) => {
      timers.push(run);
      return () => void timers.splice(timers.indexOf(run), 1);
    },
  };
  let state: RecallState | null = null;
  const recall = new Recall(
    { query: hold(queries), retune: hold(retunes) },
    (next) => {
      state = next;
    },
    scheduler,
  );
  const turn = async (list: Array<() => void>) => {
    for (const run of list.splice(0)) run();
    await settle();
  };
  return {
    recall,
    queries,
    retunes,
    state: () => state as unknown as RecallState,
    frame: () => turn(frames),
    wait: () => turn(timers),
  };
}
const settle = () => new Promise((done) => setTimeout(done, 0));
const view = (recall: string, unscored = 0): QueryView => ({
  ...viewOf(traceOf([])),
  recall,
  unscored,
});
const request = (text: string): QueryRequest & { constants: typeof STANDARD } => ({
  text,
  mode: 'hybrid',
  filter: {},
  constants: STANDARD,
  now: null,
  rerank: false,
});

describe('a query', () => {
  it('paints before the reranker has read, then brings its order', async () => {
    const t = set();
    void t.recall.ask(request('a'));
    expect(t.queries[0]?.request.rerank).toBe(false);
    t.queries[0]?.answer(view('r1', 20));
    await settle();
    expect(t.state().view?.recall).toBe('r1');
    expect(t.state().phase).toBe('reading');
    expect(t.retunes[0]?.request).toMatchObject({ recall: 'r1', score_unseen: true });
    t.retunes[0]?.answer(view('r1', 0));
    await settle();
    expect(t.state().phase).toBe('settled');
  });

  it('asks again when an older question reached the core later and called it off', async () => {
    const t = set();
    const calledOff = () =>
      new EdgeFailure({ code: 'cancelled', args: {}, retryable: true, trace_id: '' });
    void t.recall.ask(request('a'));
    void t.recall.ask(request('ab'));
    t.queries[1]?.fail(calledOff());
    await settle();
    expect(t.queries.map((one) => one.request.text)).toEqual(['a', 'ab', 'ab']);
    // The older one's answer, or its end, concerns nobody.
    t.queries[0]?.answer(view('r1'));
    await settle();
    expect(t.state().view).toBeNull();
    t.queries[2]?.answer(view('r2'));
    await settle();
    expect(t.state()).toMatchObject({ phase: 'settled', error: null, view: { recall: 'r2' } });

    void t.recall.ask(request('abc'));
    void t.recall.ask(request('abcd'));
    t.queries[3]?.fail(calledOff());
    await settle();
    expect(t.queries).toHaveLength(5);
    // Not for ever.
    for (let n = 4; n < 8; n++) {
      t.queries[n]?.fail(calledOff());
      await settle();
    }
    expect(t.queries).toHaveLength(8);
    expect(t.state()).toMatchObject({ phase: 'settled', view: null });
    expect(t.state().error).toBeInstanceOf(EdgeFailure);
  });

  it('keeps the lists that a re-ranking leaves out, as the objects they were', async () => {
    const t = set();
    const item = (id: string) => ({
      id,
      rank: 1,
      score: 1,
      terms: [],
      dropped: null,
      reranked: false,
      undecayed: null,
    });
    const answer = (part: Partial<Record<Stage, string>>, sent: Stage[]) => {
      const stages = traceOf([]).stages.map((stage) => ({
        ...stage,
        items: sent.includes(stage.name) ? [item(part[stage.name] ?? '')] : [],
      }));
      return { ...view('r1'), lists: part, trace: { ...traceOf([]), stages } };
    };
    const items = (name: Stage) =>
      t.state().view?.trace.stages.find((stage) => stage.name === name)?.items;
    void t.recall.ask(request('a'));
    t.queries[0]?.answer(answer({ knn: 'm1', decay: 'm2' }, ['knn', 'decay']));
    await settle();
    const held = items('knn');
    t.recall.tune({ ...STANDARD, half_life_days: 2 });
    expect(t.retunes[0]?.request.held?.lists).toEqual({ knn: 'm1', decay: 'm2' });
    t.retunes[0]?.answer(answer({ knn: 'm1', decay: 'm3' }, ['decay']));
    await settle();
    expect(items('knn')).toBe(held);
    expect(items('decay')).toEqual([item('m3')]);
    // What became empty is empty.
    await t.frame();
    t.recall.tune({ ...STANDARD, half_life_days: 3 });
    expect(t.retunes[1]?.request.held?.lists).toEqual({ knn: 'm1', decay: 'm3' });
    t.retunes[1]?.answer(answer({ knn: 'none', decay: 'm3' }, []));
    await settle();
    expect(items('knn')).toEqual([]);
    expect(items('decay')).toEqual([item('m3')]);
  });

  it('never lets a stale answer overwrite a newer one', async () => {
    const t = set();
    void t.recall.ask(request('a'));
    void t.recall.ask(request('ab'));
    t.queries[1]?.answer(view('r2'));
    await settle();
    t.queries[0]?.answer(view('r1'));
    await settle();
    expect(t.state().view?.recall).toBe('r2');
  });

  it('ignores the failure of a stale question', async () => {
    const t = set();
    void t.recall.ask(request('a'));
    void t.recall.ask(request('ab'));
    t.queries[1]?.answer(view('r2'));
    await settle();
    t.queries[0]?.fail(new Error('busy'));
    await settle();
    expect(t.state().error).toBeNull();
    expect(t.state().view?.recall).toBe('r2');
  });

  it('shows no old list under the error of a new question', async () => {
    const t = set();
    void t.recall.ask(request('a'));
    t.queries[0]?.answer(view('r1'));
    await settle();
    void t.recall.ask(request('b'));
    t.queries[1]?.fail(new Error('locked'));
    await settle();
    expect(t.state().error).toBeInstanceOf(Error);
    expect(t.state().view).toBeNull();
  });

  it('does not ask twice for what the reranker could not read', async () => {
    const t = set();
    void t.recall.ask(request('a'));
    t.queries[0]?.answer(view('r1', 20));
    await settle();
    t.retunes[0]?.answer(view('r1', 20));
    await settle();
    expect(t.state().phase).toBe('settled');
    expect(t.retunes).toHaveLength(1);
  });
});

describe('a moving slider', () => {
  async function asked() {
    const t = set();
    void t.recall.ask(request('a'));
    t.queries[0]?.answer(view('r1'));
    await settle();
    return t;
  }
  const k = (rrf_k: number) => ({ ...STANDARD, rrf_k });

  it('asks at once, then once per frame with the newest value', async () => {
    const t = await asked();
    const values = () => t.retunes.map((one) => one.request.constants.rrf_k);
    t.recall.tune(k(59));
    expect(values()).toEqual([59]);
    t.retunes[0]?.answer(view('r1'));
    await settle();
    // The same frame still.
    for (const value of [58, 57]) t.recall.tune(k(value));
    expect(values()).toEqual([59]);
    await t.frame();
    expect(values()).toEqual([59, 57]);
  });

  it('asks nothing again when the hand stood still for the rest of the frame', async () => {
    const t = await asked();
    t.recall.tune(k(59));
    t.retunes[0]?.answer(view('r1'));
    await t.frame();
    expect(t.retunes).toHaveLength(1);
  });

  it('keeps one question running and one waiting', async () => {
    const t = await asked();
    t.recall.tune(k(10));
    await t.frame();
    for (const value of [11, 12, 13]) {
      t.recall.tune(k(value));
      await t.frame();
    }
    expect(t.retunes).toHaveLength(1);
    t.retunes[0]?.answer(view('r1'));
    await settle();
    expect(t.retunes.map((one) => one.request.constants.rrf_k)).toEqual([10, 13]);
  });

  it('lets the reranker read once the hand rests', async () => {
    const t = await asked();
    t.recall.tune(k(10));
    await t.frame();
    t.retunes[0]?.answer(view('r1', 3));
    await settle();
    expect(t.state().phase).toBe('reading');
    await t.wait();
    expect(t.retunes[1]?.request).toMatchObject({ score_unseen: true, constants: { rrf_k: 10 } });
  });

  it('drops the reranked order of constants that have moved on', async () => {
    const t = await asked();
    t.recall.tune(k(10));
    await t.frame();
    t.retunes[0]?.answer(view('r1', 3));
    await settle();
    await t.wait();
    t.recall.tune(k(11));
    await t.frame();
    t.retunes[2]?.answer({ ...view('r1', 2), unscored: 2 });
    await settle();
    t.retunes[1]?.answer(view('r1', 0));
    await settle();
    expect(t.state().view?.unscored).toBe(2);
  });

  it('picks the newest wish up after a search', async () => {
    const t = set();
    void t.recall.ask(request('a'));
    t.recall.tune(k(5));
    t.queries[0]?.answer(view('r1'));
    await settle();
    expect(t.retunes[0]?.request.constants.rrf_k).toBe(5);
  });

  it('keeps cards that a re-ranking does not send', async () => {
    const t = set();
    void t.recall.ask(request('a'));
    const card = { id: 'm1' } as never;
    t.queries[0]?.answer({ ...view('r1'), cards: { m1: card } });
    await settle();
    t.recall.tune(k(10));
    await t.frame();
    t.retunes[0]?.answer(view('r1'));
    await settle();
    expect(Object.keys(t.state().cards)).toEqual(['m1']);
  });

  it('forgets everything when the vault is locked, late answers included', async () => {
    const t = await asked();
    t.recall.tune(k(10));
    await t.frame();
    t.recall.forget();
    t.retunes[0]?.answer(view('r1'));
    await settle();
    expect(t.state().view).toBeNull();
  });
});

it('is quiet without a query', async () => {
  const retune = vi.fn();
  const recall = new Recall({ query: vi.fn(), retune }, () => {});
  recall.tune(STANDARD);
  expect(retune).not.toHaveBeenCalled();
});
