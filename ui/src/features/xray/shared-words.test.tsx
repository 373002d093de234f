/** The sparse leg in the X-ray: what a memory shares with the query, the weight, the verdict. */
import { act, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { SharedWord } from '../../ipc/bindings';
import { createFake } from '../../ipc/fake';
import { xray } from '../../locales/en/xray';
import { setPreferences } from '../../shell/preferences';
import { findings } from '../../testing/axe';
import { NOW, renderWithCore } from '../../testing/render';
import { beforeSparse, STANDARD, traceOf } from '../../testing/trace';
import { checkedResults } from '../../trace/arithmetic';
import { stageOf } from '../../trace/model';
import { finding } from './findings';
import { flowColumns, flowExpected } from './flow';
import { difference } from './history/difference';
import { SharedWords } from './SharedWords';
import { xrayStore } from './store';
import { XraySection } from './XraySection';

const QUESTION = 'how did we fix the unpack error in the payment gateway?';
const WEIGHT = xray.sliders.names.sparse_weight as string;

const word = (name: string, query: number, memory: number, typed = true): SharedWord => ({
  word: name,
  typed,
  query_weight: query,
  memory_weight: memory,
  product: query * memory,
});
const WORDS = [word('mended', 2, 0.9, false), word('unpack', 3, 0.4)];

describe('the words that a memory shares with the query', () => {
  it('add up to the score of the stage, each told as typed or added', () => {
    render(<SharedWords words={WORDS} engine={2 * 0.9 + 3 * 0.4} />);
    const rows = screen.getAllByRole('row').slice(1);
    expect(rows.map((row) => row.textContent)).toEqual([
      'mendedadded2.000.9001.80',
      'unpacktyped3.000.4001.20',
      'sum3.00',
    ]);
    expect(screen.getByText(/✓ sum equals the score/)).toBeTruthy();
  });

  it.each([
    ['the sum is another', WORDS, 3.1],
    ['a product is another', [{ ...word('unpack', 3, 0.4), product: 3 }], 3],
  ])('say so when %s', (_, words, engine) => {
    render(<SharedWords words={words} engine={engine} />);
    expect(screen.getByText(/✕ sum differs/)).toBeTruthy();
  });

  it('are not compared with a score that there is not', () => {
    render(<SharedWords words={WORDS} engine={null} />);
    expect(screen.getByText(/no score to compare/)).toBeTruthy();
  });

  it('may be none', () => {
    render(<SharedWords words={[]} engine={null} />);
    expect(screen.getByText(/shares no word with the query, typed or added/)).toBeTruthy();
  });
});

async function asked() {
  const all = renderWithCore(<XraySection />);
  await screen.findByRole('slider', { name: 'candidates' });
  act(() => xrayStore().ask({ text: QUESTION }));
  await waitFor(() => expect(xrayStore().get().phase).toBe('settled'));
  return all;
}

const trace = () => {
  const { view } = xrayStore().get();
  if (!view) throw new Error('nothing was answered');
  return view.trace;
};

describe('the weight of the sparse leg', () => {
  it('is a slider that makes the stage run, and the account of a result follows', async () => {
    await asked();
    const strip = screen.getByRole('region', { name: 'Stages of the pipeline' });
    const card = strip.querySelector('[data-stage="sparse"]') as HTMLElement;
    expect(card.dataset.status).toBe('skipped');
    expect(card.textContent).toContain('its weight is 0');

    act(() => setPreferences({ allConstants: true }));
    fireEvent.change(await screen.findByRole('slider', { name: WEIGHT }), {
      target: { value: '500' },
    });
    await waitFor(() => expect(card.dataset.status).toBe('ok'));
    act(() => setPreferences({ allConstants: false }));
    expect(card.textContent).toContain('Words that should be there: ');
    expect(trace().constants.sparse_weight).toBeGreaterThan(0);
    await waitFor(() => expect(xrayStore().get().phase).toBe('settled'));
    expect(checkedResults(trace())).toEqual({ ok: 10, of: 10 });

    const read = stageOf(trace(), 'sparse').items.find(({ id }) => trace().results.includes(id));
    if (!read) throw new Error('no result shares a word');
    act(() => xrayStore().openMemory(read.id));
    const table = await screen.findByRole('table', { name: /^Words it shares/ });
    expect(within(table).getAllByRole('row').length).toBeGreaterThan(2);
    expect(screen.getByText(/✓ sum equals the score of the sparse stage/)).toBeTruthy();
    const account = screen.getByRole('table', { name: 'Score, step by step' });
    expect(within(account).getByRole('rowheader', { name: /^implied words/ })).toBeTruthy();
    expect(await findings()).toEqual([]);
  });

  it('comes with a verdict that tells what a memory shares, also in other words', async () => {
    const core = createFake({ now: NOW });
    const constants = { ...STANDARD, sparse_weight: 0.5 };
    const request = {
      text: QUESTION,
      mode: 'hybrid',
      filter: {},
      now: null,
      rerank: true,
    } as const;
    const view = await core.query({ ...request, constants });
    const gate = async (expected: string, under = constants) => {
      const said = await core.why({ recall: view.recall, expected, constants: under, now: null });
      return said.gates.find(({ name }) => name === 'sparse');
    };
    // m1 says "Fixed" and "guarded"; the question says "fix".
    expect(await gate('m1')).toMatchObject({
      note: expect.stringMatching(/shares .*(fixed|guarded) \d\.\d\d \(added\)/),
    });
    expect(await gate('m14')).toMatchObject({
      verdict: 'missed',
      note: 'shares no word with the query, typed or added',
    });
    expect(await gate('m1', STANDARD)).toMatchObject({
      verdict: 'not_reached',
      note: expect.stringContaining('its weight is 0'),
    });
  });

  it('stands among the gates of the verdict', async () => {
    await asked();
    act(() => xrayStore().tune({ sparse_weight: 0.5 }));
    await waitFor(() => expect(stageOf(trace(), 'sparse').status).toBe('ok'));
    act(() => xrayStore().expect('m14'));
    const gates = await screen.findByRole('table', { name: 'Gates' });
    const row = within(gates).getByRole('rowheader', { name: 'sparse' }).closest('tr');
    expect(row?.textContent).toContain('shares no word with the query, typed or added');
  });
});

const CANDIDATES = [
  { id: 'm1', knn: 2, bm25: 1, sparse: 3, age: 3, reranker: 0.7 },
  { id: 'm2', knn: 5, sparse: 1, age: 1, reranker: 0.6 },
  { id: 'm3', sparse: 2, age: 40, reranker: 0.4 },
];
const three = traceOf(CANDIDATES, { sparse_weight: 0.5 });

describe('the rank flow of three legs', () => {
  it('has the column between bm25 and fusion, with its cutoff', () => {
    const columns = flowColumns(three);
    expect(columns.map(({ key }) => key).slice(0, 4)).toEqual(['knn', 'bm25', 'sparse', 'fusion']);
    expect(columns[2]?.ran).toBe(true);
    expect(columns[2]?.ranks.get('m3')).toBe(2);
    expect(columns[2]?.limit?.rank).toBe(40);
    expect(flowColumns(traceOf(CANDIDATES))[2]?.ran).toBe(false);
  });

  it('says who found the results', () => {
    expect(finding(three, null)).toBe('2 of 3 results were found by more than one list');
    const all = traceOf(CANDIDATES.slice(0, 1), { sparse_weight: 0.5 });
    expect(finding(all, null)).toBe(
      'The one result was found by meaning, by words and by implied words',
    );
    const alone = traceOf(CANDIDATES.slice(2), { sparse_weight: 0.5 });
    expect(finding(alone, null)).toBe('Implied words alone found 1 of 1 result');
  });

  it.each([
    [['knn', 'bm25', 'sparse'], 'meaning, words and implied words all found it'],
    [['bm25', 'sparse'], 'words and implied words both found it'],
    [['sparse'], 'found by its implied words only'],
    [[], 'found neither by its words, typed or implied, nor by its meaning'],
  ])('says that %o found the expected one', (legs, words) => {
    expect(
      finding(
        three,
        expecting(
          null,
          legs.map((leg) => [leg, 'ok', 1]),
        ),
      ),
    ).toBe(`The expected memory is 1st: ${words}`);
  });

  it('says how far beyond its cutoff it was lost, and what the others know', () => {
    const view = expecting('sparse', [
      ['knn', 'missed', 329],
      ['bm25', 'missed', 144],
      ['sparse', 'lost', 63],
    ]);
    expect(finding(three, view)).toBe(
      'Lost at sparse: by its implied words 63rd, 40 are kept; its meaning ranks 329th and its words rank 144th',
    );
    expect(flowExpected(three, view)).toMatchObject({ exit: 'sparse: 63rd, 40 are kept' });
  });
});

function expecting(
  lost_at: string | null,
  gates: Array<[string, 'ok' | 'missed' | 'lost', number]>,
) {
  return {
    query: '',
    expected: lost_at === null ? 'm1' : 'm9',
    in_results: lost_at === null,
    lost_at,
    headline: '',
    gates: gates.map(([name, verdict, value]) => ({
      ...{ name, verdict, value, threshold: 40, margin: null, beyond: false, note: '' },
    })),
    fixes: [],
  } as Parameters<typeof flowExpected>[1] & object;
}

it('a trace from before there was the stage is drawn, counted again and compared', () => {
  const old = beforeSparse(traceOf(CANDIDATES.slice(0, 2)));
  expect(flowColumns(old).map(({ key, ran }) => [key, ran])).toContainEqual(['sparse', false]);
  expect(checkedResults(old)).toEqual({ ok: 2, of: 2 });
  expect(finding(old, null)).toBe('1 of 2 results were found by meaning and by words');
  const found = difference(old, traceOf(CANDIDATES.slice(0, 2), { sparse_weight: 0.5 }));
  expect(found.stages.find(({ stage }) => stage === 'sparse')?.differs).toBe(true);
  expect(found.title).toContain('sparse skipped → ok');
});
