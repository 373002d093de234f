import { describe, expect, it } from 'vitest';
import type { GateView, Stage, VerdictView } from '../ipc/bindings';
import { traceOf } from '../testing/trace';
import { stageOf } from '../trace/model';
import type { StageContext } from './context';
import { stageSentence, throughput } from './sentences';

const CANDIDATES = [
  { id: 'm1', knn: 2, bm25: 1, age: 3, reranker: 0.7 },
  { id: 'm2', knn: 5, bm25: 3, age: 1, reranker: 0.9 },
  { id: 'm3', knn: 1, age: 40, reranker: 0.4 },
  { id: 'm4', bm25: 9, knn: 63, age: 28, reranker: 0.95 },
];

const context = (extra: Partial<StageContext> = {}): StageContext => ({
  trace: traceOf(CANDIDATES),
  verdict: null,
  context: { tokens: 1310, budget: 2048 },
  ...extra,
});
const gate = (name: string, extra: Partial<GateView>): GateView => ({
  name,
  verdict: 'ok',
  value: null,
  threshold: null,
  margin: null,
  beyond: false,
  note: '',
  ...extra,
});
const verdict = (gates: GateView[]): VerdictView => ({
  query: '',
  expected: 'm4',
  in_results: false,
  lost_at: null,
  headline: '',
  gates,
  fixes: [],
});
const say = (stage: Stage, extra: Partial<StageContext> = {}) =>
  stageSentence(stage, context(extra));

describe('what each stage says', () => {
  it('route names what the query is and counts terms per index', () => {
    expect(say('route')).toBe(
      'The query is technical; 3 words to the word index and 1 too common to count',
    );
    const trace = traceOf(CANDIDATES);
    const [term] = trace.terms;
    if (term)
      Object.assign(term, {
        text: 'unpack_error',
        kind: 'identifier',
        routes: ['word', 'trigram'],
      });
    expect(say('route', { trace })).toContain('“unpack_error” is technical');
    expect(say('route', { trace })).toContain('1 to trigrams');
  });

  it('route says which mode auto became', () => {
    const trace = {
      ...traceOf(CANDIDATES),
      mode: 'auto' as const,
      effective_mode: 'lexical' as const,
    };
    expect(say('route', { trace })).toContain('ran lexical');
  });

  it('knn tells the expected rank and what it was short by', () => {
    expect(say('knn')).toBe('nearest 3 of 41,872; best cosine 0.990');
    const missed = verdict([gate('knn', { verdict: 'missed', value: 63, threshold: 40 })]);
    expect(say('knn', { verdict: missed })).toBe(
      'nearest 3 of 41,872; the expected one is 63rd, short by 0.580',
    );
  });

  it('bm25 lists the rare terms first and names the common and the unmatched', () => {
    expect(say('bm25')).toBe('“unpack” matched 11, “gateway” 208, “fix” 4,120');
    const trace = traceOf(CANDIDATES);
    trace.terms.push({
      ...(trace.terms[0] as (typeof trace.terms)[number]),
      text: 'None',
      matched: 0,
    });
    Object.assign(trace.terms[0] ?? {}, { matched: 9000 });
    expect(say('bm25', { trace })).toBe(
      '“unpack” matched 11, “gateway” 208; “None” matched nothing; “fix” is common',
    );
  });

  it('fusion counts the agreement of the legs', () => {
    expect(say('fusion')).toBe('RRF k 60, weights 1 : 1; 2 memories in both lists');
    expect(say('fusion', { trace: traceOf(CANDIDATES, { fusion: 'convex' }) })).toMatch(/^convex/);
    const third = CANDIDATES.map((one) => (one.id === 'm3' ? { ...one, sparse: 1 } : one));
    const trace = traceOf(third, { sparse_weight: 0.5 });
    expect(say('fusion', { trace })).toBe(
      'RRF k 60, weights 1 : 1 : 0.5; 3 memories in more than one list',
    );
    // Of three lists, the part that a trace holds does not tell how many stand in several.
    stageOf(trace, 'fusion').out = 400;
    expect(say('fusion', { trace })).toBe('RRF k 60, weights 1 : 1 : 0.5');
  });

  it('decay shows the factor of the expected memory', () => {
    expect(say('decay', { verdict: verdict([]) })).toBe(
      'half-life 14 d, floor 0.70; the expected one keeps × 0.775 at 28 d',
    );
    expect(say('decay', { trace: traceOf(CANDIDATES, { decay_clock: 'last_seen_at' }) })).toContain(
      'half-life 14 d from when it was last said, floor 0.70',
    );
    const said = CANDIDATES.map((one, at) => ({ ...one, said: at === 0 ? 4 : 1 }));
    expect(say('decay', { trace: traceOf(said, { authority: 0.5 }) })).toContain(
      'authority 0.50 lifts 1 memory',
    );
    expect(say('decay', { trace: traceOf(said) })).not.toContain('authority');
    expect(say('decay', { trace: traceOf(CANDIDATES, { decay_floor: 1 }) })).toContain(
      'does not count',
    );
  });

  it('rerank says what it changed', () => {
    expect(say('rerank')).toBe('late interaction reads the best 4; the 2nd became first');
    const lost = verdict([gate('rerank', { verdict: 'lost', value: 31, threshold: 20 })]);
    expect(say('rerank', { verdict: lost })).toContain('the expected one is 31st');
  });

  it('rerank counts what it has not read yet', () => {
    const trace = traceOf(CANDIDATES);
    for (const item of stageOf(trace, 'rerank').items.slice(2)) item.reranked = false;
    expect(say('rerank', { trace })).toContain('2 still to read');
  });

  it('select tells the cost of the block', () => {
    expect(say('select')).toBe('4 results; 1,310 of 2,048 tokens');
  });

  it('a failed stage says why and never looks empty', () => {
    const trace = traceOf(CANDIDATES);
    Object.assign(stageOf(trace, 'knn'), {
      status: 'failed',
      reason: 'the model could not be read',
    });
    expect(say('knn', { trace })).toBe('the model could not be read');
    Object.assign(stageOf(trace, 'knn'), { status: 'degraded', reason: 'exact scan' });
    expect(say('knn', { trace })).toMatch(/^exact scan; nearest/);
  });

  it('tells what came in and went out', () => {
    const format = (n: number) => n.toLocaleString('en-US');
    expect(throughput('knn', context(), format)).toBe('41,872 → 3');
    expect(throughput('route', context(), format)).toBe('1 → 2 terms asked');
  });
});
