import { describe, expect, it } from 'vitest';
import { traceOf } from '../../../testing/trace';
import { difference } from './difference';

const CANDIDATES = [
  { id: 'm1', knn: 1, bm25: 3, age: 1, reranker: 0.2 },
  { id: 'm2', knn: 2, bm25: 1, age: 60, reranker: 0.9 },
  { id: 'm3', knn: 3, age: 2, reranker: 0.5 },
  { id: 'm4', bm25: 2, age: 3, reranker: 0.4 },
];

describe('two traces', () => {
  it('are the same when they are', () => {
    const found = difference(traceOf(CANDIDATES), traceOf(CANDIDATES));
    expect(found.title).toBe(
      'The same 4 results in the same order; nothing they depend on differs',
    );
    expect(found.constants).toEqual([]);
    expect(found.stages.some((row) => row.differs)).toBe(false);
    expect(found.rows.every((row) => row.change === 'kept')).toBe(true);
  });

  it('name the constant that moved memories, and where each stood in every stage', () => {
    const found = difference(traceOf(CANDIDATES), traceOf(CANDIDATES, { rerank_blend: 0 }));
    expect(found.title).toMatch(/memories moved: rerank blend 0\.70 → 0\.00$/);
    expect(found.constants).toEqual([{ name: 'rerank blend', a: '0.70', b: '0.00' }]);
    const row = found.rows.find((one) => one.id === 'm2');
    expect(row?.a).toBe(1);
    expect(row?.change).toBe('demoted');
    const knn = row?.places.find((place) => place.stage === 'knn');
    expect([knn?.a, knn?.b]).toEqual([2, 2]);
    expect(row?.places.find((place) => place.stage === 'rerank')?.a).toBe(1);
  });

  it('say what came, what went, and which stage broke', () => {
    const a = traceOf(CANDIDATES);
    const b = {
      ...traceOf(CANDIDATES.slice(1), { results: 2 }),
      now: '2027-01-01T00:00:00Z',
    };
    b.stages = b.stages.map((stage) =>
      stage.name === 'rerank' ? { ...stage, status: 'failed', reason: 'no model' } : stage,
    );
    const found = difference(a, b);
    expect(found.title).toMatch(/2 gone/);
    expect(found.title).toMatch(/rerank ok → failed/);
    expect(found.title).toMatch(/more$/);
    expect(found.facts.map((fact) => fact.name)).toContain('clock');
    expect(found.stages.find((row) => row.stage === 'rerank')?.differs).toBe(true);
    expect(found.rows.filter((row) => row.change === 'dropped').map((row) => row.id)).toEqual([
      'm1',
      expect.any(String),
    ]);
  });

  it('that found nothing say so', () => {
    expect(difference(traceOf([]), traceOf([])).title).toMatch(/^Both found nothing/);
  });
});
