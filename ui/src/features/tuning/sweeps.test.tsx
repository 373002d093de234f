import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { TrialView } from '../../ipc/bindings';
import { createFake, type Fake } from '../../ipc/fake';
import { findings } from '../../testing/axe';
import { NOW, renderWithCore } from '../../testing/render';
import { STANDARD } from '../../testing/trace';
import { costOf, findingOf } from './TrialsOutcome';
import { TuningSection } from './TuningSection';
import { bargain, bestOf, changes, measurePiece, type Plan, type Trials } from './trials';

const WORDS = [
  'payment',
  'gateway',
  'database',
  'migration',
  'refund',
  'webhook',
  'printer',
  'retry',
  'customer',
  'release',
  'deploy',
  'label',
  'stock',
  'order',
];

/** A core in which somebody has judged the third result of so many queries. */
async function judged(count: number): Promise<Fake> {
  const core = createFake({ now: NOW, memories: 60 });
  for (const text of WORDS.slice(0, count)) {
    const view = await core.query({
      text,
      mode: 'hybrid',
      filter: {},
      constants: STANDARD,
      now: null,
      rerank: true,
    });
    const id = view.trace.results[2];
    if (id) await core.judge({ recall: view.recall, id, grade: 3 });
  }
  core.calls.length = 0;
  return core;
}

const trial = (number: number, ndcg_10: number, ms: number, name: string | null): TrialView => ({
  number,
  name,
  values: [number],
  constants: STANDARD,
  scores: { success_5: 0, mrr_10: 0, ndcg_10, recall_10: 0 },
  low: 0,
  high: 1,
  ms,
  ndcg: [ndcg_10, 0.5],
});

const plan: Plan = {
  axes: ['rrf_k'],
  method: 'random',
  count: 9,
  seed: 1,
  constants: STANDARD,
  now: null,
};

const held = (trials: TrialView[]): Trials => ({
  plan,
  total: 20,
  trials,
  queries: [
    { id: 'q1', text: 'refund' },
    { id: 'q2', text: 'printer' },
  ],
  needed: 0,
  unread: 0,
});

describe('A sweep over several constants', () => {
  it('is measured piece by piece and goes on where it stopped', async () => {
    const core = await judged(3);
    const request = { ...plan, axes: ['rrf_k', 'decay_floor'] as const };
    let state: Trials | null = await measurePiece(core, request, null);
    const first = state;
    const numbers: number[] = [];
    while (state) {
      numbers.splice(0, numbers.length, ...state.trials.map((one) => one.number));
      state = await measurePiece(core, request, state);
    }
    expect(first?.trials.length).toBeLessThan(first?.total ?? 0);
    expect(numbers).toEqual(Array.from({ length: first?.total ?? 0 }, (_, at) => at));
    const skips = core.calls.map((call) => (call.args[0] as { skip: number }).skip);
    expect(skips).toEqual([...new Set(skips)].sort((a, b) => a - b));
  });

  it('calls the best, the faster of equals, and never trades the present for nothing', () => {
    const present = trial(0, 0.5, 40, 'present');
    expect(bestOf([present, trial(5, 0.5, 9, null)])).toBe(present);
    const [slow, fast] = [trial(5, 0.7, 40, null), trial(6, 0.7, 20, null)];
    expect(bestOf([present, slow, fast])).toBe(fast);
    expect(bargain([present, fast, trial(7, 0.6, 15, null)], fast)?.number).toBe(7);
    expect(bargain([present, fast], fast)).toBeNull();
  });

  it('states its finding and what is cheaper', () => {
    const present = trial(0, 0.5, 40, 'present');
    expect(findingOf(held([present]))).toBe(
      'None of 1 is better than the present constants: nDCG@10 0.500',
    );
    expect(findingOf(held([present, trial(8, 0.62, 40, null)]))).toBe(
      'Best of 2: RRF k 8, nDCG@10 0.620; present 0.500',
    );
    expect(findingOf(held([present, trial(1, 0.62, 40, 'keywords_only')]))).toMatch(
      /keywords only, nDCG@10 0\.620\. A whole part/,
    );
    expect(costOf(held([present, trial(8, 0.62, 40, null), trial(9, 0.6, 8, null)]))).toBe(
      'RRF k 9 gives 0.600 in 8.0 ms; the best, 0.620, takes 40.0 ms',
    );
    expect(costOf(held([trial(8, 0.62, 4, null)]))).toMatch(/Nothing faster/);
  });

  it('tells gains from losses query by query', () => {
    const better = { ...trial(5, 0.7, 9, null), ndcg: [0.9, 0.2] };
    const moved = changes(better, trial(0, 0.5, 40, 'present'), held([]).queries);
    expect(moved.map((one) => one.text)).toEqual(['refund', 'printer']);
    expect(moved[0]?.change).toBeCloseTo(0.4);
    expect(moved[1]?.change).toBeCloseTo(-0.3);
  });

  it('shows lines, cost, table and the held-out half; brushes by keyboard narrow all of them', async () => {
    const core = await judged(14);
    const { person } = renderWithCore(<TuningSection />, { core });
    await person.click(await screen.findByRole('button', { name: 'Sweep them' }));
    const card = screen.getByRole('region', { name: 'Sweep several constants' });
    await waitFor(() => expect(within(card).queryByRole('progressbar')).toBeNull(), {
      timeout: 12_000,
    });
    const table = within(card).getByRole('region', { name: /Combinations that pass/ });
    expect(within(table).getByRole('button', { name: 'Show no decay' })).toBeTruthy();
    expect(within(card).getByText(/65 of 65 pass/)).toBeTruthy();
    const from = within(card).getByRole('slider', { name: 'nDCG@10, from' });
    fireEvent.change(from, { target: { value: from.getAttribute('max') } });
    await waitFor(() => expect(within(card).queryByText(/65 of 65 pass/)).toBeNull());
    const passing = within(table).getAllByRole('row').length - 1;
    expect(passing).toBeLessThan(24);
    expect(await findings()).toEqual([]);

    await person.click(within(card).getByRole('button', { name: 'Let all brushes go' }));
    await person.click(within(table).getByRole('button', { name: 'Show keywords only' }));
    const chosen = within(card).getByRole('region', { name: 'keywords only' });
    expect(await within(chosen).findByText(/On the \d+ queries held out/)).toBeTruthy();
    expect(within(chosen).getByText(/Cannot tell: about 42 more/)).toBeTruthy();
    expect(within(chosen).getByRole('img', { name: /Against the present/ })).toBeTruthy();
    const scatter = within(card).getByRole('slider', { name: /Arrow keys walk/ });
    scatter.focus();
    await person.keyboard('{ArrowLeft}');
    expect(within(card).queryByRole('region', { name: 'keywords only' })).toBeNull();
  });

  it('can be stopped and gone on with', async () => {
    const core = await judged(3);
    const trials = core.trials;
    core.trials = async (request) => {
      await new Promise((done) => setTimeout(done, 40));
      return trials(request);
    };
    const { person } = renderWithCore(<TuningSection />, { core });
    await person.click(await screen.findByRole('button', { name: 'Sweep them' }));
    await person.click(await screen.findByRole('button', { name: 'Stop' }));
    core.trials = trials;
    const on = await screen.findByRole('button', { name: /Go on \(\d+ left\)/ });
    await person.click(on);
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Stop' })).toBeNull(), {
      timeout: 12_000,
    });
    expect(screen.getByText(/65 of 65 pass/)).toBeTruthy();
    expect(screen.getByText(/Nothing is held out yet: about 9 more/)).toBeTruthy();
  });
});

describe('One constant', () => {
  it('is chosen on one half and reported on the other', async () => {
    const core = await judged(14);
    const sweep = core.sweep;
    core.sweep = async (request) => {
      const view = await sweep(request);
      const held_out = await core.holdOut({
        present: STANDARD,
        chosen: STANDARD,
        now: null,
      });
      const last = view.points.at(-1)?.value ?? 0;
      const points = view.points.map((point) =>
        point.value === last ? { ...point, scores: { ...point.scores, ndcg_10: 0.99 } } : point,
      );
      return { ...view, points, best: last, held_out };
    };
    const { person } = renderWithCore(<TuningSection />, { core });
    await person.click(await screen.findByRole('button', { name: 'Sweep' }));
    expect(await screen.findByText(/On the \d+ queries that chose it/)).toBeTruthy();
    expect(screen.getByText(/On the \d+ queries held out/)).toBeTruthy();
    expect(screen.getByText(/one half of the golden queries chooses/)).toBeTruthy();
  });
});
