import { describe, expect, it } from 'vitest';
import { crossing, differences, swaps } from '../features/xray/neighbours';
import { createFake } from '../ipc/fake';
import { STANDARD, traceOf } from '../testing/trace';
import { checkedResults, waterfall } from './arithmetic';
import { itemOf, stageOf } from './model';

const CANDIDATES = [
  { id: 'm1', knn: 2, bm25: 1, age: 3, reranker: 0.91 },
  { id: 'm2', knn: 5, bm25: 3, age: 1, reranker: 0.74 },
  { id: 'm3', knn: 1, age: 40, reranker: 0.4 },
  { id: 'm4', bm25: 9, knn: 63, age: 28, reranker: 0.95 },
];

describe('the waterfall', () => {
  it("reproduces the engine's score for every result", () => {
    const trace = traceOf(CANDIDATES);
    expect(checkedResults(trace)).toEqual({ ok: 4, of: 4 });
    expect(waterfall(trace, 'm1').checks.map((check) => check.stage)).toEqual([
      'fusion',
      'decay',
      'rerank',
      'select',
    ]);
  });

  it('shows what each leg gave, in the numbers in force', () => {
    const { steps } = waterfall(traceOf(CANDIDATES), 'm1');
    expect(steps[0]).toMatchObject({ kind: 'knn_part', formula: '1 / (60 + 2)', value: 1 / 62 });
    expect(steps[1]).toMatchObject({ kind: 'bm25_part', formula: '1 / (60 + 1)', from: 1 / 62 });
    expect(steps[2]).toMatchObject({ kind: 'fused', op: 'total', value: 1 / 62 + 1 / 61 });
  });

  it('adds what the sparse leg gives, where it has a weight', () => {
    const candidates = CANDIDATES.map((one, at) => ({ ...one, sparse: at + 3 }));
    const trace = traceOf(candidates, { sparse_weight: 0.5 });
    const { steps, reproduces } = waterfall(trace, 'm1');
    expect(steps[2]).toMatchObject({ kind: 'sparse_part', formula: '0.5 / (60 + 3)', op: 'add' });
    expect(steps[3]).toMatchObject({ kind: 'fused', value: 1 / 62 + 1 / 61 + 0.5 / 63 });
    expect(reproduces).toBe(true);
    const row = differences(trace, 'm1', 'm2').find(({ component }) => component === 'sparse_part');
    expect(row?.delta).toBeCloseTo(0.5 / 63 - 0.5 / 64, 12);
    expect(waterfall(traceOf(candidates), 'm1').steps.map(({ kind }) => kind)).not.toContain(
      'sparse_part',
    );
  });

  it('multiplies by what having been said again gives, and notices a factor that does not', () => {
    const candidates = CANDIDATES.map((one) => ({ ...one, said: one.id === 'm3' ? 4 : 1 }));
    const trace = traceOf(candidates, { authority: 0.25 });
    const { steps, reproduces } = waterfall(trace, 'm3');
    const at = steps.findIndex(({ kind }) => kind === 'authority');
    expect(steps[at - 1]?.kind).toBe('decay');
    expect(steps[at]).toMatchObject({ op: 'multiply', value: 1.5, formula: '1 + 0.25 × log₂ 4' });
    expect(reproduces).toBe(true);
    expect(checkedResults(trace)).toEqual({ ok: 4, of: 4 });
    const row = differences(trace, 'm3', 'm2').find(({ component }) => component === 'authority');
    expect(row).toMatchObject({ mine: 1.5, other: 1, delta: 0.5 });
    const term = itemOf(trace, 'decay', 'm3')?.terms.find(({ name }) => name === 'times_said');
    if (!term) throw new Error('how often it was said is in the row');
    term.value = 8;
    expect(waterfall(trace, 'm3').reproduces).toBe(false);
    // Off, it is no step of the sum, but what it would do is known.
    const off = traceOf(candidates, { rerank: 'off' });
    for (const item of stageOf(off, 'rerank').items) item.terms = [];
    expect(waterfall(off, 'm3').steps.map(({ kind }) => kind)).not.toContain('authority');
    const swap = swaps(off, 'm3', 'm2').find(({ constant }) => constant === 'authority');
    const factor = (age: number) => 0.7 + 0.3 * 0.5 ** (age / 14);
    const needed = ((1 / 65 + 1 / 63) * factor(1)) / ((1 / 61) * factor(40));
    expect(1 + (swap?.at ?? 0) * 2).toBeCloseTo(needed, 9);
  });

  it('shows what the length of a text leaves of the reading', () => {
    const trace = traceOf(CANDIDATES);
    const { rerank_blend: blend } = trace.constants;
    for (const stage of ['rerank', 'select'] as const) {
      const row = itemOf(trace, stage, 'm1');
      if (!row) throw new Error('m1 is in the list');
      row.score -= 0.25 * blend * 0.91;
      if (stage === 'rerank') row.terms.push({ name: 'length_factor', value: 0.75 });
    }
    const { steps, reproduces } = waterfall(trace, 'm1');
    const reading = steps.find((step) => step.kind === 'reranker');
    expect(reading?.formula).toBe(`${blend} × 0.91 × 0.75`);
    expect(reproduces).toBe(true);
  });

  it('shows what a neighbour in the session gave, as a share of that one’s points', () => {
    const trace = traceOf(CANDIDATES);
    trace.constants = { ...trace.constants, neighbour_share: 0.5 };
    const fused = itemOf(trace, 'fusion', 'm1');
    if (!fused) throw new Error('m1 is in the list');
    fused.terms.push({ name: 'neighbour_part', value: 0.5 / 64 });
    fused.score += 0.5 / 64;
    const { steps, checks } = waterfall(trace, 'm1');
    expect(steps[2]).toMatchObject({
      kind: 'neighbour_part',
      op: 'add',
      from: 1 / 62 + 1 / 61,
      formula: '0.5 × 0.01563',
    });
    expect(checks[0]).toMatchObject({ stage: 'fusion', ok: true });
  });

  it('leaves out a leg that cut the memory off', () => {
    const { steps } = waterfall(traceOf(CANDIDATES), 'm4');
    expect(steps.map((step) => step.kind)).not.toContain('knn_part');
  });

  it('says so when the sum differs by more than the tolerance', () => {
    const trace = traceOf(CANDIDATES);
    const item = itemOf(trace, 'decay', 'm2');
    if (item) item.score += 2e-9;
    const result = waterfall(trace, 'm2');
    expect(result.reproduces).toBe(false);
    expect(result.checks.filter((check) => !check.ok).map((check) => check.stage)).toEqual([
      'decay',
    ]);
    expect(result.delta).toBeGreaterThan(1e-9);
  });

  it('is silent about a memory in no list', () => {
    const result = waterfall(traceOf(CANDIDATES), 'm99');
    expect(result.steps).toEqual([]);
    expect(result.reproduces).toBe(false);
    expect(result.score).toBeNull();
  });

  it('reproduces rows that were not read and rows below the window', () => {
    const trace = traceOf(CANDIDATES);
    const [best] = stageOf(trace, 'decay').items;
    const rerank = itemOf(trace, 'rerank', 'm2');
    const decayed = itemOf(trace, 'decay', 'm3');
    const below = itemOf(trace, 'rerank', 'm3');
    const normalised = rerank?.terms[1]?.value ?? 0;
    if (!best || !rerank || !decayed || !below) throw new Error('the fixture lost a row');
    Object.assign(rerank, { score: 0.3 * normalised, terms: [rerank.terms[1]], reranked: false });
    const place = (0.5 * decayed.score) / best.score - 1;
    Object.assign(below, { score: place, terms: [{ name: 'below_window', value: place }] });
    for (const id of ['m2', 'm3']) {
      const stage = waterfall(trace, id).checks.find((entry) => entry.stage === 'rerank');
      expect(stage?.ok).toBe(true);
    }
    below.score += 1e-8;
    expect(waterfall(trace, 'm3').checks.find((entry) => entry.stage === 'rerank')?.ok).toBe(false);
  });

  it('takes repetition off under MMR', () => {
    const trace = traceOf(CANDIDATES, { mmr: true });
    const chosen = itemOf(trace, 'select', 'm1');
    if (!chosen) throw new Error('the fixture lost a row');
    Object.assign(chosen, {
      score: 0.7 * 0.9 - 0.3 * 0.4,
      terms: [
        { name: 'relevance', value: 0.9 },
        { name: 'redundancy', value: 0.4 },
      ],
    });
    expect(waterfall(trace, 'm1').reproduces).toBe(true);
    expect(waterfall(trace, 'm1').steps.map((step) => step.kind)).toContain('redundancy');
  });

  it('stops at the window for what the reranker did not read', () => {
    const result = waterfall(traceOf(CANDIDATES, { rerank_window: 2 }), 'm4');
    expect(result.checks.map((check) => check.stage)).toEqual(['fusion', 'decay']);
    expect(result.reproduces).toBe(true);
  });
});

describe('why one stands above the other', () => {
  it('adds up: the differences of the summands give the difference of the scores', () => {
    const rows = differences(traceOf(CANDIDATES), 'm1', 'm2');
    const delta = (name: string) => rows.find((row) => row.component === name)?.delta ?? 0;
    expect(delta('reranker') + delta('normalised')).toBeCloseTo(delta('final'), 12);
  });

  it('finds the blend at which two change places, and it is right', () => {
    const trace = traceOf(CANDIDATES);
    const [swap] = swaps(trace, 'm4', 'm3');
    expect(swap?.constant).toBe('rerank_blend');
    const at = swap?.at ?? -1;
    const score = (id: string) => {
      const terms = itemOf(trace, 'rerank', id)?.terms ?? [];
      const [r, n] = [terms[0]?.value ?? 0, terms[1]?.value ?? 0];
      return at * r + (1 - at) * n;
    };
    expect(score('m4')).toBeCloseTo(score('m3'), 12);
  });

  it('finds the keyword weight without a reranker', () => {
    const trace = traceOf(CANDIDATES, { rerank: 'off' });
    for (const item of itemOf(trace, 'rerank', 'm3') ? stageOf(trace, 'rerank').items : [])
      item.terms = [];
    const swap = swaps(trace, 'm3', 'm4').find((entry) => entry.constant === 'bm25_weight');
    const at = swap?.at ?? -1;
    const factor = (age: number) => 0.7 + 0.3 * 0.5 ** (age / 14);
    expect((at / 69) * factor(28)).toBeCloseTo((1 / 61) * factor(40), 9);
  });

  it('finds the sparse weight at which two change places', () => {
    const candidates = [
      { id: 'm1', bm25: 1, reranker: 0 },
      { id: 'm2', sparse: 4, reranker: 0 },
    ];
    const trace = traceOf(candidates, { rerank: 'off', sparse_weight: 0.5 });
    for (const item of stageOf(trace, 'rerank').items) item.terms = [];
    const swap = swaps(trace, 'm1', 'm2').find((entry) => entry.constant === 'sparse_weight');
    expect((swap?.at ?? 0) / 64).toBeCloseTo(1 / 61, 9);
  });

  it('finds no crossing where there is none', () => {
    expect(crossing(() => 1, 0, 10, 5)).toBeNull();
    expect(crossing((x) => x - 3, 0, 10, 5)).toBeCloseTo(3, 6);
  });
});

describe('ageing in the waterfall', () => {
  const decayOf = (trace: ReturnType<typeof traceOf>, id: string) =>
    waterfall(trace, id).steps.find((step) => step.kind === 'decay');

  it('says why a memory does not age', () => {
    const trace = traceOf(CANDIDATES.map((one) => ({ ...one, age: 0 })));
    for (const [id, why, words] of [
      ['m1', 'pinned', 'pinned: does not age'],
      ['m2', 'kind', 'its kind is evergreen'],
      ['m3', 'unknown', 'time unknown: counts as new'],
      ['m4', 'future', 'its time lies ahead: counts as new'],
    ] as const) {
      const item = itemOf(trace, 'decay', id);
      if (!item) throw new Error('the fixture lost a row');
      Object.assign(item, { undecayed: why, terms: [{ name: 'decay_factor', value: 1 }] });
      expect(decayOf(trace, id)).toMatchObject({ value: 1, formula: words });
    }
    expect(checkedResults(trace)).toEqual({ ok: 4, of: 4 });
  });

  it('counts by the half-life of a kind, and notices a factor that does not follow from it', () => {
    const trace = traceOf(CANDIDATES);
    const item = itemOf(trace, 'decay', 'm1');
    const fused = itemOf(trace, 'fusion', 'm1');
    if (!item || !fused) throw new Error('the fixture lost a row');
    const value = 0.7 + 0.3 * 0.5 ** (3 / 3);
    const terms = (half: number) => [
      { name: 'decay_factor', value },
      { name: 'age_days', value: 3 },
      { name: 'half_life_days', value: half },
    ];
    Object.assign(item, { score: fused.score * value, terms: terms(3) });
    const decay = () => waterfall(trace, 'm1').checks.find((check) => check.stage === 'decay');
    expect(decay()?.ok).toBe(true);
    expect(decayOf(trace, 'm1')?.formula).toBe('0.7 + 0.3 × ½^(3 / 3)');
    Object.assign(item, { terms: terms(14) });
    expect(decay()?.ok).toBe(false);
  });
});

describe('the convex combination in the waterfall', () => {
  it.each(['observed', 'theoretical'] as const)(
    'shares weights with the sparse leg (%s)',
    async (bounds) => {
      const core = createFake({ now: Date.UTC(2026, 4, 18, 9, 30) });
      const { trace } = await core.query({
        text: 'how did we fix the unpack error in the payment gateway?',
        mode: 'hybrid',
        filter: {},
        constants: { ...STANDARD, fusion: 'convex', convex_bounds: bounds, sparse_weight: 0.5 },
        now: null,
        rerank: true,
      });
      const found = trace.results.map((id) => waterfall(trace, id));
      expect(found.every((one) => one.reproduces)).toBe(true);
      const formulas = found.flatMap((one) =>
        one.steps.filter((step) => step.kind === 'sparse_part').map((step) => step.formula),
      );
      expect(formulas.length).toBeGreaterThan(0);
      for (const formula of formulas) {
        expect(formula).toMatch(/^0\.2( ×|$)/);
        if (bounds === 'theoretical') expect(formula).toContain('− 0)');
      }
    },
  );

  it.each(['observed', 'theoretical'] as const)('is counted from the %s bound', async (bounds) => {
    const core = createFake({ now: Date.UTC(2026, 4, 18, 9, 30) });
    const { trace } = await core.query({
      text: 'how did we fix the unpack error in the payment gateway?',
      mode: 'hybrid',
      filter: {},
      constants: { ...STANDARD, fusion: 'convex', convex_bounds: bounds, knn_weight: 3 },
      now: null,
      rerank: true,
    });
    const found = trace.results.map((id) => waterfall(trace, id));
    expect(found.every((one) => one.reproduces)).toBe(true);
    const formulas = found.flatMap((one) =>
      one.steps.filter((step) => step.kind === 'knn_part').map((step) => step.formula),
    );
    expect(formulas.length).toBeGreaterThan(0);
    for (const formula of formulas) {
      expect(formula).toMatch(/^0\.75 × \(0\.\d+ − /);
      expect(formula.includes('− (-1))')).toBe(bounds === 'theoretical');
    }
  });
});
