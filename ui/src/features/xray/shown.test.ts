import { describe, expect, it } from 'vitest';
import type { MemoryCard } from '../../ipc/bindings';
import { EVERYTHING, facetsOf, shownResults } from './shown';

function card(id: string, kind: string, role: string, snippet: string, rest = {}): MemoryCard {
  return {
    ...{ id, kind, role, snippet, highlights: [], org: '/work/harbor', agent: 'claude-code' },
    ...{ session: 's1', tool_name: null, created_at: null, created_at_quality: 'unknown' },
    ...{ age_days: null, source: null, tags: [], pinned: false, trust: 'normal' },
    ...{ length: snippet.length, seen_count: 1, version: 1 },
    ...rest,
  };
}

const CARDS = Object.fromEntries(
  [
    card('m1', 'tool_result', 'tool', 'Finished in 0.4 seconds. 184 tests, 0 failures'),
    card('m2', 'text', 'assistant', 'The server listens on port 4117'),
    card('m3', 'tool_result', 'tool', 'Finished in 1.9 seconds. 186 tests, 0 failures'),
    card('m4', 'text', 'assistant', 'The server listens on port 4118'),
    card('m5', 'tool_result', 'tool', 'could not lookup Tide', { tags: ['error'] }),
    card('m6', 'text', 'user', 'Which port?', { org: '/work/lantern', session: 's2' }),
    card('m7', 'tool_result', 'tool', 'Finished in 7.1 seconds. 181 tests, 0 failures'),
  ].map((one) => [one.id, one]),
);
const RESULTS = Object.keys(CARDS);
const plain = { narrowed: EVERYTHING, conversationFirst: false, apart: [] };
const rows = (how: Partial<Parameters<typeof shownResults>[2]> = {}) =>
  shownResults(RESULTS, CARDS, { ...plain, ...how }).map(
    ({ place, id, alike }) => `${place} ${id}${alike.length > 0 ? ` +${alike.join(' ')}` : ''}`,
  );

describe('the list of results', () => {
  it('folds outputs of programs that differ in figures, and nothing that somebody said', () => {
    expect(rows()).toEqual(['1 m1 +m3 m7', '2 m2', '4 m4', '5 m5', '6 m6']);
  });

  it('never folds the memory that is looked for', () => {
    expect(rows({ apart: ['m7'] })).toEqual(['1 m1 +m3', '2 m2', '4 m4', '5 m5', '6 m6', '7 m7']);
  });

  it('puts what was said first and keeps every place', () => {
    expect(rows({ conversationFirst: true })).toEqual([
      '2 m2',
      '4 m4',
      '6 m6',
      '1 m1 +m3 m7',
      '5 m5',
    ]);
  });

  it('is narrowed by part, project and conversation', () => {
    expect(rows({ narrowed: { ...EVERYTHING, parts: ['errors', 'user'] } })).toEqual([
      '5 m5',
      '6 m6',
    ]);
    expect(rows({ narrowed: { ...EVERYTHING, projects: ['lantern'] } })).toEqual(['6 m6']);
    const [, second] = facetsOf(RESULTS, CARDS).conversations;
    expect(rows({ narrowed: { ...EVERYTHING, conversations: [second?.value as string] } })).toEqual(
      ['6 m6'],
    );
  });

  it('counts what it can be narrowed by', () => {
    const { parts, projects } = facetsOf(RESULTS, CARDS);
    expect(parts.map(({ value, count }) => `${value} ${count}`)).toEqual([
      'user 1',
      'answers 2',
      'results 3',
      'errors 1',
    ]);
    expect(projects).toEqual([
      { value: 'harbor', count: 6 },
      { value: 'lantern', count: 1 },
    ]);
  });

  it('keeps a row for a result whose text is not known', () => {
    expect(shownResults(['m9'], {}, plain)).toEqual([{ id: 'm9', place: 1, alike: [] }]);
  });
});
