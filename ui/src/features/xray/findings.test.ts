import { describe, expect, it } from 'vitest';
import type { GateVerdict, VerdictView } from '../../ipc/bindings';
import { traceOf } from '../../testing/trace';
import { stageOf } from '../../trace/model';
import { exitLabel, finding } from './findings';

const verdict = (
  lost_at: string | null,
  gates: Array<[string, GateVerdict, number | null]>,
  expected = 'm4',
): VerdictView => ({
  query: '',
  expected,
  in_results: lost_at === null,
  lost_at,
  headline: '',
  gates: gates.map(([name, result, value]) => ({
    name,
    verdict: result,
    value,
    threshold: null,
    margin: null,
    beyond: false,
    note: '',
  })),
  fixes: [],
});
const CANDIDATES = [
  { id: 'm1', knn: 2, bm25: 1, age: 3, reranker: 0.7 },
  { id: 'm2', knn: 5, bm25: 3, age: 1, reranker: 0.6 },
  { id: 'm3', knn: 1, bm25: 8, age: 40, reranker: 0.4 },
  { id: 'm4', bm25: 9, knn: 63, age: 28, reranker: 0.95 },
];

describe('the finding about an expected memory', () => {
  it('tells the whole story of a loss at the window', () => {
    const trace = traceOf(CANDIDATES, { rerank_window: 3 });
    const view = verdict('rerank', [
      ['knn', 'missed', 63],
      ['bm25', 'ok', 9],
      ['rerank', 'lost', 4],
    ]);
    expect(finding(trace, view)).toBe(
      'Found by its words only: 4th after fusion and decay, and the reranker reads 3',
    );
    expect(exitLabel(trace, view)).toBe('outside the rerank window: 4th, 3 are read');
  });

  it('does not say unread of what was read and put below the results', () => {
    const trace = traceOf(CANDIDATES, { results: 2 });
    const view = verdict(
      'rerank',
      [
        ['knn', 'ok', 1],
        ['bm25', 'ok', 8],
        ['rerank', 'lost', 4],
      ],
      'm3',
    );
    expect(finding(trace, view)).toContain('4th after reranking, and 2 are returned');
    expect(exitLabel(trace, view)).toBe('4th, beyond the top 2');
  });

  it('says where it stands when it is there', () => {
    const view = verdict(
      null,
      [
        ['knn', 'ok', 2],
        ['bm25', 'ok', 1],
      ],
      'm1',
    );
    const trace = traceOf(CANDIDATES.slice(0, 3));
    expect(finding(trace, view)).toBe(
      'The expected memory is 1st: meaning and words both found it',
    );
  });

  it('tells how far beyond the cutoffs it was', () => {
    const view = verdict('fusion', [
      ['knn', 'missed', 63],
      ['bm25', 'missed', 47],
    ]);
    for (const gate of view.gates) gate.threshold = 40;
    expect(finding(traceOf(CANDIDATES.slice(0, 3)), view)).toBe(
      'Its words rank 47th and its meaning ranks 63rd, and each list keeps 40',
    );
    expect(exitLabel(traceOf(CANDIDATES.slice(0, 3)), view)).toBe('in no list');
  });

  it('begins with the gate that lost it, as the headline does', () => {
    const view = verdict('bm25', [
      ['knn', 'missed', 329],
      ['bm25', 'missed', 144],
    ]);
    for (const gate of view.gates) gate.threshold = 40;
    const trace = traceOf(CANDIDATES.slice(0, 3));
    expect(finding(trace, view)).toBe(
      'Lost at bm25: by its words 144th, 40 are kept; its meaning ranks 329th',
    );
    expect(exitLabel(trace, view)).toBe('bm25: 144th, 40 are kept');
  });

  it('names the cut by K', () => {
    const trace = traceOf(CANDIDATES, { results: 2 });
    const view = verdict(
      'select',
      [
        ['knn', 'ok', 1],
        ['bm25', 'ok', 8],
      ],
      'm3',
    );
    expect(finding(trace, view)).toBe(
      'Meaning and words both found it: 4th after reranking, and 2 are returned',
    );
  });

  it.each([
    ['trash', 'It is in the trash'],
    ['scope', 'The filters exclude it'],
    ['duplicate', 'A better result says the same'],
    ['knn', 'Found neither by its words nor by its meaning'],
  ])('lost at %s', (gate, words) => {
    expect(finding(traceOf(CANDIDATES), verdict(gate, [['knn', 'lost', null]]))).toBe(words);
  });
});

describe('the finding without one', () => {
  it('prefers what the reranker turned around', () => {
    const unsure = CANDIDATES.map((c) => (c.id === 'm4' ? c : { ...c, reranker: 0.3 }));
    expect(finding(traceOf(unsure), null)).toBe(
      'The reranker lifted the best result from 4th to 1st',
    );
  });
  it('counts the agreement otherwise', () => {
    expect(finding(traceOf(CANDIDATES.slice(0, 3)), null)).toBe(
      'All 3 results were found by meaning and by words',
    );
  });
  it('says when a leg is down before anything else', () => {
    expect(finding({ ...traceOf(CANDIDATES), level: 'keyword_only' }, null)).toMatch(
      /^Words alone answered/,
    );
  });
  it('does not call a failure empty', () => {
    const trace = traceOf([]);
    stageOf(trace, 'fusion').in = 0;
    expect(finding(trace, null)).toBe('No leg found anything');
  });
});
