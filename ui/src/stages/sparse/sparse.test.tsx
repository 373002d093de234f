import { render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import type { GateVerdict, Trace, VerdictView } from '../../ipc/bindings';
import { findings } from '../../testing/axe';
import { beforeSparse, traceOf } from '../../testing/trace';
import { STAGES } from '../../trace/model';
import { StageDetail } from '../StageDetail';
import { stageSentence, throughput } from '../sentences';
import { Expansion } from './Expansion';

const CANDIDATES = [
  { id: 'm1', knn: 2, bm25: 1, sparse: 2, age: 3, reranker: 0.7 },
  { id: 'm2', knn: 5, sparse: 1, age: 1, reranker: 0.9 },
];
const used = traceOf(CANDIDATES, { sparse_weight: 0.5 });

const expecting = (result: GateVerdict, value: number | null): VerdictView => ({
  query: '',
  expected: 'm1',
  in_results: true,
  lost_at: null,
  headline: '',
  gates: [
    {
      name: 'sparse',
      verdict: result,
      value,
      threshold: 40,
      margin: null,
      beyond: false,
      note: '',
    },
  ],
  fixes: [],
});
const say = (trace: Trace, verdict: VerdictView | null = null) =>
  stageSentence('sparse', { trace, verdict, context: null });

const detail = (trace: Trace) =>
  render(
    <StageDetail
      stage="sparse"
      context={{ trace, verdict: null, context: null }}
      expected={null}
      open={null}
      nameOf={(id) => id}
      onOpen={() => {}}
      onClose={() => {}}
    />,
  );

describe('the card of the sparse stage', () => {
  it('names the words that the model adds, what counts most first', () => {
    expect(say(used)).toBe('Words that should be there: mended, repair');
    const [word] = (used.expansion ?? []).filter(({ typed }) => !typed);
    if (!word) throw new Error('the fixture lost its words');
    const many = Array.from({ length: 6 }, (_, at) => ({ ...word, word: `w${at}` }));
    expect(say({ ...used, expansion: many })).toBe(
      'Words that should be there: w0, w1, w2, w3 and 2 more',
    );
  });

  it('says when none is added, and when there is none at all', () => {
    const typed = (used.expansion ?? []).filter((word) => word.typed);
    expect(say({ ...used, expansion: typed })).toBe('The model adds no word to those typed');
    const stop = { word: '.', weight: 9, rarity: 2, typed: false };
    expect(say({ ...used, expansion: [stop, ...typed] })).toBe(
      'The model adds no word to those typed',
    );
    expect(say({ ...used, expansion: [] })).toBe('no word to look up');
  });

  it('says where the expected memory stands, also beyond the cutoff', () => {
    expect(say(used, expecting('ok', 3))).toMatch(/; the expected one is 3rd$/);
    expect(say(used, expecting('missed', 63))).toMatch(/; the expected one is 63rd$/);
    expect(say(used, expecting('not_reached', 3))).not.toContain('expected');
  });

  it('says why it did not run', () => {
    expect(say(traceOf(CANDIDATES))).toBe('its weight is 0');
  });

  it('lists the words with what each counts, those that were added marked by a word', async () => {
    detail(used);
    const list = screen.getByRole('list', { name: /The query’s words and what each counts/ });
    const words = within(list).getAllByRole('listitem');
    expect(words.map((one) => one.textContent)).toEqual([
      'unpack3.00',
      'mended2.00added',
      'repair1.80added',
      'fix1.00',
    ]);
    expect(words[1]?.title).toBe('the model’s weight 0.8 × rarity 2.5 = 2');
    expect(screen.getByText(/Σ query weight × memory weight/)).toBeTruthy();
    const table = screen.getByRole('table', { name: 'Ranked list of sparse' });
    expect(within(table).getByRole('columnheader', { name: 'shared words' })).toBeTruthy();
    expect(await findings()).toEqual([]);
  });

  it('shows the light ones when they are asked for', async () => {
    const words = Array.from({ length: 30 }, (_, at) => ({
      word: `w${at}`,
      weight: 30 - at,
      rarity: 1,
      typed: at === 0,
    }));
    render(<Expansion words={words} />);
    expect(screen.getAllByRole('listitem')).toHaveLength(24);
    await userEvent.click(screen.getByRole('button', { name: '6 lighter words' }));
    expect(screen.getAllByRole('listitem')).toHaveLength(30);
  });
});

describe('a trace from before there was this stage', () => {
  const old = beforeSparse(traceOf(CANDIDATES));
  const context = { trace: old, verdict: null, context: null };

  it.each(STAGES)('has a sentence for %s', (stage) => {
    expect(stageSentence(stage, context)).not.toBe('');
    expect(throughput(stage, context, String)).toMatch(/→/);
  });

  it('says why the card is empty, and shows no words', () => {
    const { container } = detail(old);
    expect(say(old)).toBe('the query was asked before there was this stage');
    expect(screen.queryByRole('list', { name: /The query’s words/ })).toBeNull();
    expect(container.textContent).toContain('before there was this stage');
  });
});
