import { expect, it } from 'vitest';
import type { GateView, VerdictView } from '../ipc/bindings';
import { traceOf } from '../testing/trace';
import { lostStage, lostWords } from './lost';
import { stageSentence } from './sentences';

const trace = traceOf([{ id: 'm1', knn: 1, bm25: 1, age: 3, reranker: 0.7 }], {
  rerank_window: 20,
});
const verdict = (gate: Partial<GateView> & { name: string }): VerdictView => ({
  query: '',
  expected: 'm9',
  in_results: false,
  lost_at: gate.name,
  headline: '',
  gates: [
    {
      verdict: 'lost',
      value: null,
      threshold: null,
      margin: null,
      beyond: false,
      note: '',
      ...gate,
    },
  ],
  fixes: [],
});

it.each([
  [{ name: 'bm25', value: 144, threshold: 40 }, 'bm25: 144th, 40 are kept'],
  [
    { name: 'bm25', value: 121, threshold: 40, beyond: true },
    'bm25: beyond the 120th, 40 are kept',
  ],
  [{ name: 'decay', value: 24, threshold: 20 }, 'decay: 24th, 20 are read'],
  [{ name: 'rerank', value: 12, threshold: 10 }, 'rerank: 12th, 10 are returned'],
  [{ name: 'select', value: 12, threshold: 10 }, 'select: 12th, 10 are returned'],
  [{ name: 'trash', note: 'It is in the trash.' }, 'trash: It is in the trash'],
])('%o', (gate, words) => expect(lostWords(trace, verdict(gate))).toBe(words));

it('names the card that lost it, and the card says the same numbers first', () => {
  const lost = verdict({ name: 'bm25', value: 144, threshold: 40 });
  expect(lostStage(lost)).toBe('bm25');
  expect(lostStage(verdict({ name: 'budget' }))).toBe('select');
  expect(lostStage({ ...lost, in_results: true })).toBeNull();
  const context = { trace, verdict: lost, context: null };
  expect(stageSentence('bm25', context)).toMatch(/^the expected one is 144th, 40 are kept; /);
  expect(stageSentence('knn', context)).not.toContain('144th');
});
