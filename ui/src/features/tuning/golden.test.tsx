import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { createFake, type Fake } from '../../ipc/fake';
import { findings } from '../../testing/axe';
import { NOW, renderWithCore } from '../../testing/render';
import { STANDARD } from '../../testing/trace';
import { suiteOf } from './Suite';
import { findingOf } from './Sweep';
import { TuningSection } from './TuningSection';

const QUESTIONS = ['payment gateway error', 'database migration'];

/** A core in which somebody has judged the third result of two queries. */
async function judged(): Promise<Fake> {
  const core = createFake({ now: NOW, memories: 60 });
  for (const text of QUESTIONS) {
    const view = await core.query({
      text,
      mode: 'hybrid',
      filter: {},
      constants: STANDARD,
      now: null,
      rerank: true,
    });
    await core.judge({ recall: view.recall, id: view.trace.results[2] ?? '', grade: 3 });
  }
  return core;
}

describe('Golden queries', () => {
  it('say what to do while there are none', async () => {
    renderWithCore(<TuningSection />);
    expect(await screen.findByText(/No query is judged yet/)).toBeTruthy();
    expect(screen.getByText(/Judge 5 queries to unlock sweeps/)).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Sweep' })).toBeNull();
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Import' }).disabled).toBe(true);
    expect(await findings()).toEqual([]);
  });

  it('are compared under two presets, in words and one by one', async () => {
    const { person } = renderWithCore(<TuningSection />, { core: await judged() });
    expect(await screen.findByText(/Cannot tell: about 22 more golden queries/)).toBeTruthy();
    const table = screen.getByRole('region', { name: 'Golden queries under two presets' });
    expect(
      within(table).getByRole('button', { name: /payment gateway error.*X-ray/ }),
    ).toBeTruthy();
    expect(await findings()).toEqual([]);
    await person.click(
      within(table).getByRole('button', { name: /Delete the golden query “database migration”/ }),
    );
    await waitFor(() => expect(screen.getByText(/about 23 more/)).toBeTruthy());
  });

  it('measure every value of a constant, as a plot and as a table', async () => {
    const { core, person } = renderWithCore(<TuningSection />, { core: await judged() });
    await screen.findByText(/Cannot tell/);
    await person.click(screen.getByRole('button', { name: 'Sweep' }));
    const plot = await screen.findByRole('img');
    expect(plot.getAttribute('aria-label')).toMatch(/RRF k/);
    expect(core.calls.at(-1)?.args[0]).toMatchObject({ constant: 'rrf_k' });
    expect(screen.getByRole('row', { name: /keywords only/ })).toBeTruthy();
    await person.click(screen.getByRole('radio', { name: 'table' }));
    expect(screen.getAllByRole('columnheader', { name: '95 % interval' })).toHaveLength(1);
    expect(await findings()).toEqual([]);
  });

  it('become a regression suite that says what fails', async () => {
    const { person } = renderWithCore(<TuningSection />, { core: await judged() });
    await screen.findByText(/Cannot tell/);
    await person.click(screen.getByRole('button', { name: 'Fill from golden queries' }));
    const text = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Suite (JSON)' });
    expect(JSON.parse(text.value).queries).toHaveLength(2);
    await person.click(screen.getByRole('button', { name: 'Run' }));
    expect(await screen.findByText('Green: all 2 queries pass')).toBeTruthy();
    await person.clear(text);
    await person.click(text);
    await person.paste('{"queries":[{"query":"payment","expect":["m999999"],"top":3}]}');
    await person.click(screen.getByRole('button', { name: 'Run' }));
    expect(await screen.findByText('Red: 1 of 1 query fails')).toBeTruthy();
    expect(screen.getByText('m999999 not found')).toBeTruthy();
  });

  it('leave as qrels and come back', async () => {
    const { person } = renderWithCore(<TuningSection />, { core: await judged() });
    await screen.findByText(/Cannot tell/);
    await person.click(screen.getByRole('button', { name: 'Export judgements' }));
    const out = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Exported' });
    expect(out.value).toMatch(/^q1 0 m\d+ 3\n/);
    await person.click(screen.getByRole('textbox', { name: 'Qrels' }));
    await person.paste('q8 0 m1 2\nq9 0 m1 1');
    await person.click(screen.getByRole('textbox', { name: 'Topics' }));
    await person.paste('q8\trefund');
    await person.click(screen.getByRole('button', { name: 'Import' }));
    expect(await screen.findByText('1 judgement stored')).toBeTruthy();
    expect(screen.getByText('Unknown queries, left out: q9')).toBeTruthy();
  });
});

describe('what is said', () => {
  const scores = { success_5: 0, mrr_10: 0, ndcg_10: 0, recall_10: 0 };
  const sweep = (means: [number, number][], current: number, best: number) => ({
    constant: 'rrf_k',
    current,
    best,
    difference: { mean: 0, low: 0, high: 0, p: 1, verdict: 'same' as const, more: null },
    queries: 3,
    choosing: 3,
    needed: 9,
    held_out: null,
    points: means.map(([value, ndcg_10]) => ({
      value,
      scores: { ...scores, ndcg_10 },
      low: ndcg_10,
      high: ndcg_10,
    })),
    ablations: [],
    unread: 0,
  });

  it('of a sweep states its finding', () => {
    expect(
      findingOf(
        sweep(
          [
            [5, 0.7],
            [60, 0.5],
          ],
          60,
          5,
        ),
      ),
    ).toBe('RRF k 5 gives the best nDCG@10, 0.70; the present 60 gives 0.50');
    expect(
      findingOf(
        sweep(
          [
            [5, 0.5],
            [60, 0.7],
          ],
          60,
          60,
        ),
      ),
    ).toMatch(/already the best/);
    expect(
      findingOf(
        sweep(
          [
            [5, 0.5],
            [60, 0.5],
          ],
          60,
          60,
        ),
      ),
    ).toMatch(/makes no difference/);
  });

  it('by a suite are the best judged memories only', () => {
    const golden = {
      id: 'q1',
      text: 'refund',
      mode: 'lexical',
      created_at: '',
      grades: { m1: 1, m2: 3, m3: 0 },
    };
    const suite = JSON.parse(suiteOf([golden, { ...golden, grades: { m4: 0 } }]));
    expect(suite).toEqual({
      queries: [{ query: 'refund', mode: 'lexical', expect: ['m2'], top: 5 }],
    });
  });
});
