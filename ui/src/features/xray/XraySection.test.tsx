import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { createFake } from '../../ipc/fake';
import { findings } from '../../testing/axe';
import { NOW, renderWithCore } from '../../testing/render';
import { STANDARD } from '../../testing/trace';
import { checkedResults } from '../../trace/arithmetic';
import { stageOf } from '../../trace/model';
import { xrayStore } from './store';
import { XraySection } from './XraySection';

const QUESTION = 'how did we fix the unpack error in the payment gateway?';

async function asked(options: Parameters<typeof renderWithCore>[1] = {}) {
  const all = renderWithCore(<XraySection />, options);
  const input = await screen.findByRole('textbox', { name: 'Query' });
  await screen.findByRole('slider', { name: 'candidates' });
  input.focus();
  await all.person.paste(QUESTION);
  await all.person.keyboard('{Enter}');
  await screen.findByRole('list', { name: 'Results, best first' });
  return { ...all, input };
}

const results = () =>
  within(screen.getByRole('list', { name: 'Results, best first' })).getAllByRole('listitem');
/** The row itself; beside it stands its star. */
const rowOf = (item: HTMLElement | undefined) =>
  within(item as HTMLElement).getAllByRole('button')[0] as HTMLElement;
const names = () => results().map((row) => row.textContent);

/** A memory that the reranker read but that is not among the results. */
async function missing(core: ReturnType<typeof createFake>) {
  const view = await core.query({
    text: QUESTION,
    mode: 'hybrid',
    filter: {},
    constants: STANDARD,
    now: null,
    rerank: true,
  });
  const read = stageOf(view.trace, 'rerank').items.filter((item) => item.dropped === null);
  for (const item of read.filter((one) => !view.trace.results.includes(one.id)).reverse()) {
    const verdict = await core.why({
      recall: view.recall,
      expected: item.id,
      constants: STANDARD,
      now: null,
    });
    if (verdict.fixes.some((fix) => fix.constant === 'results' && fix.intervals.length > 0))
      return item.id;
  }
  throw new Error('the invented memory holds no such case');
}

describe('a query', () => {
  it('asks first without the reranker, then lets it read', async () => {
    const { core } = await asked();
    await waitFor(() => expect(core.calls.some((call) => call.command === 'retune')).toBe(true));
    const query = core.calls.find((call) => call.command === 'query')?.args[0];
    expect(query).toMatchObject({ rerank: false });
    const retune = core.calls.find((call) => call.command === 'retune')?.args[0];
    expect(retune).toMatchObject({ score_unseen: true });
  });

  it('shows eight stages, each with a sentence, and the results', async () => {
    await asked();
    const strip = screen.getByRole('region', { name: 'Stages of the pipeline' });
    expect(within(strip).getAllByRole('button')).toHaveLength(8);
    expect(strip.textContent).toMatch(/nearest 40 of 4\d\d/);
    expect(results()).toHaveLength(10);
  });

  it.each([
    ['Overview', []],
    ['the table', ['table']],
    ['Debug', ['Debug']],
  ])('has no accessibility findings in %s', async (_, presses) => {
    const { person } = await asked({ memories: 40 });
    for (const name of presses) await person.click(screen.getByRole('radio', { name }));
    expect(await findings()).toEqual([]);
  });

  it('has no accessibility findings in a stage', async () => {
    const { person } = await asked({ memories: 40 });
    await person.keyboard('{Alt>}[Digit1]{/Alt}');
    expect(screen.getByRole('table', { name: 'Where each term went' })).toBeTruthy();
    expect(await findings()).toEqual([]);
  });

  it('shows its own answer: nothing stays open or expected of the question before', async () => {
    const { person, input, core } = await asked();
    const store = xrayStore();
    act(() => store.openMemory('m7'));
    expect(await screen.findByRole('tab', { name: 'Memory' })).toBeTruthy();
    await person.clear(input);
    await person.type(input, 'quarterly review{Enter}');
    expect(await screen.findByRole('list', { name: 'Results, best first' })).toBeTruthy();
    expect(screen.queryByRole('tab', { name: 'Memory' })).toBeNull();

    act(() => store.expect('m7'));
    await waitFor(() => expect(core.calls.some((call) => call.command === 'why')).toBe(true));
    act(() => store.ask({ text: 'gateway retries' }));
    expect(store.get()).toMatchObject({ expected: null, open: null, tab: 'results' });

    act(() => store.expect('m7'));
    act(() => store.ask({ text: 'migrations rolled back', expected: 'm7' }));
    expect(store.get()).toMatchObject({ expected: 'm7', tab: 'verdict' });
  });

  it('puts all eight ranked lists side by side in Debug', async () => {
    const { person } = await asked();
    await person.click(screen.getByRole('radio', { name: 'Debug' }));
    for (const stage of ['knn', 'bm25', 'fusion', 'decay', 'rerank', 'select']) {
      const list = screen.getByRole('list', { name: `Ranked list of ${stage}` });
      expect(within(list).getAllByRole('listitem').length).toBeGreaterThan(10);
    }
    const route = screen.getByRole('region', { name: 'Ranked list of route' });
    expect(route.textContent).toMatch('gateway');
  });

  it('reorders when a slider moves, without searching again', async () => {
    const { core } = await asked();
    await waitFor(() => expect(core.calls.some((call) => call.command === 'retune')).toBe(true));
    const before = names();
    const queries = () => core.calls.filter((call) => call.command === 'query').length;
    const asks = queries();
    const slider = screen.getByRole('slider', { name: 'keyword weight' });
    fireEvent.change(slider, { target: { value: '0' } });
    await waitFor(() => expect(names()).not.toEqual(before));
    expect(queries()).toBe(asks);
    expect(screen.getByText(/· edited/)).toBeTruthy();
  });

  it('says why when the core refuses, and offers to try again', async () => {
    const core = createFake({ now: NOW });
    core.failWith('query', 'busy');
    const { person } = renderWithCore(<XraySection />, { core });
    await person.type(await screen.findByRole('textbox', { name: 'Query' }), 'gateway{Enter}');
    expect(await screen.findByText(/Another program holds the vault/)).toBeTruthy();
    core.failWith('query', null);
    await person.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByRole('list', { name: 'Results, best first' })).toBeTruthy();
  });

  it('lets every stage say why nothing came through', async () => {
    const { person } = renderWithCore(<XraySection />);
    await person.click(await screen.findByRole('button', { name: /mode/ }));
    await person.click(await screen.findByRole('option', { name: /lexical/ }));
    await person.type(screen.getByRole('textbox', { name: 'Query' }), 'qqqq zzzz{Enter}');
    expect(await screen.findByText('No memory came through')).toBeTruthy();
    expect(screen.getAllByText(/“qqqq”.* matched nothing/).length).toBeGreaterThan(0);
  });

  it('keeps nothing on the page once the vault is locked', async () => {
    const { core } = await asked();
    await core.lock();
    await waitFor(() =>
      expect(screen.queryByRole('list', { name: 'Results, best first' })).toBeNull(),
    );
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Query' }).value).toBe('');
    expect(document.body.textContent).not.toContain('payment gateway bug');
  });
});

describe('one memory', () => {
  it('shows its score step by step, and that the sum is right', async () => {
    const { person } = await asked();
    await person.click(rowOf(results()[0]));
    const panel = await screen.findByRole('article', { name: 'Memory' });
    expect(await within(panel).findByText(/sum reproduces the engine’s score/)).toBeTruthy();
    expect(await within(panel).findByText(/sum equals SQLite/)).toBeTruthy();
    expect(within(panel).getByText(/They change places|No value of/)).toBeTruthy();
    expect(await findings()).toEqual([]);
    await person.keyboard('{Escape}');
    expect(screen.queryByRole('article', { name: 'Memory' })).toBeNull();
  });

  it('comes back after it was deleted', async () => {
    const { person } = await asked();
    const first = names()[0];
    await person.click(rowOf(results()[0]));
    await person.click(await screen.findByRole('button', { name: 'Delete' }));
    await waitFor(() => expect(names()[0]).not.toEqual(first));
    await person.click(await screen.findByRole('button', { name: 'Undo' }));
    await waitFor(() => expect(names()[0]).toEqual(first));
  });
});

describe('the arithmetic on the page', () => {
  it.each([
    {},
    { fusion: 'convex' as const },
    { rerank: 'off' as const },
    { decay_floor: 1 },
    { knn_weight: 0 },
    { rerank_window: 5, results: 20 },
  ])('reproduces every result under %o', async (changes) => {
    const core = createFake({ now: NOW });
    const view = await core.query({
      text: QUESTION,
      mode: 'hybrid',
      filter: {},
      constants: { ...STANDARD, ...changes },
      now: null,
      rerank: true,
    });
    const { ok, of } = checkedResults(view.trace);
    expect(of).toBeGreaterThan(0);
    expect(ok).toBe(of);
  });
});

describe('an expected memory', () => {
  it('gets a verdict, a change to try, and comes back', async () => {
    const core = createFake({ now: NOW });
    const id = await missing(core);
    const { person } = await asked({ core });
    await person.click(screen.getByRole('tab', { name: 'Why missing' }));
    await person.type(screen.getByRole('searchbox', { name: /Expected memory/ }), id);
    const found = await screen.findByRole('list', { name: 'Memories that contain this' });
    await person.click(within(found).getAllByRole('button')[0] as HTMLElement);
    expect(await screen.findByText(/^Lost at select/)).toBeTruthy();
    const gates = screen.getByRole('table', { name: 'Gates' });
    expect(gates.textContent).toMatch('lost here');
    expect(await findings()).toEqual([]);
    await person.click(screen.getByRole('button', { name: /Try results/ }));
    await waitFor(() => expect(screen.queryByText(/^Lost at/)).toBeNull());
    expect(screen.getByText(/The expected memory is 1\dth/)).toBeTruthy();
    await person.click(screen.getByRole('button', { name: 'Undo the change of results' }));
    expect(await screen.findByText(/^Lost at select/)).toBeTruthy();
  });

  it('is offered by the guide of the demo memory', async () => {
    const { person } = renderWithCore(<XraySection />);
    await person.click(await screen.findByRole('button', { name: /planted miss/ }));
    expect(await screen.findByText(/^Lost at/)).toBeTruthy();
  });
});

describe('the keyboard', () => {
  it('reaches the query, the stages and back', async () => {
    const { person, input } = await asked();
    await person.click(rowOf(results()[0]));
    await person.keyboard('/');
    expect(document.activeElement).toBe(input);
    expect((input as HTMLInputElement).value).toBe(QUESTION);
    await person.keyboard('{Escape}{Alt>}[Digit3]{/Alt}');
    expect(screen.getByRole('table', { name: 'Ranked list of bm25' })).toBeTruthy();
    await person.keyboard('{Escape}');
    expect(screen.queryByRole('table', { name: 'Ranked list of bm25' })).toBeNull();
  });

  it('walks through the results', async () => {
    const { person } = await asked();
    const buttons = results().map(rowOf);
    buttons[0]?.focus();
    await person.keyboard('{ArrowDown}{ArrowDown}{ArrowUp}');
    expect(document.activeElement).toBe(buttons[1]);
  });
});

it('shows markup in a memory as the text it is', async () => {
  const { person } = renderWithCore(<XraySection />);
  await screen.findByRole('slider', { name: 'candidates' });
  await person.type(
    screen.getByRole('textbox', { name: 'Query' }),
    'ignore previous instructions env{Enter}',
  );
  expect((await screen.findAllByText(/<b>This text came from/)).length).toBeGreaterThan(0);
  expect(screen.getAllByText(/flagged/).length).toBeGreaterThan(0);
});
