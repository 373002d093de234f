import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { createFake } from '../../ipc/fake';
import { xray } from '../../locales/en/xray';
import { findings } from '../../testing/axe';
import { NOW, renderWithCore } from '../../testing/render';
import { STANDARD } from '../../testing/trace';
import { TuningSection } from './TuningSection';

const view = {
  actual: 0.5,
  ranking: 0.3,
  cutoff: 0.1,
  unfound: 0.1,
  fix: 'ranking' as const,
  stages: [],
  queries: [],
  unread: 0,
};

describe('Headroom', () => {
  it('says what to fix, with its numbers', () => {
    const say = xray.headroom.finding;
    expect(say(view)).toBe(
      'Fix ranking: 0.50 of nDCG@10 is missing, and 0.30 of it is the order. The same candidates, best first, would give 0.80.',
    );
    expect(say({ ...view, ranking: 0.1, cutoff: 0.3, fix: 'retrieval' })).toMatch(
      /^Fix retrieval: .* 0\.40 of it never reaches fusion.*only 0\.60/,
    );
    expect(say({ ...view, fix: 'both' })).toMatch(/^Fix both/);
    expect(say({ ...view, actual: 0.99, fix: 'nothing' })).toMatch(/0\.99 of 1/);
  });

  it('is measured under the constants of the X-ray, with every stage and the worst queries', async () => {
    const core = createFake({ now: NOW, memories: 60 });
    const asked = await core.query({
      text: 'payment gateway error',
      mode: 'hybrid',
      filter: {},
      constants: STANDARD,
      now: null,
      rerank: true,
    });
    await core.judge({ recall: asked.recall, id: asked.trace.results[2] ?? '', grade: 3 });
    renderWithCore(<TuningSection />, { core });
    expect(await screen.findByRole('heading', { name: /^Fix ranking: 0\.50/ })).toBeTruthy();
    const bar = screen.getByRole('figure', { name: 'Parts of a perfect nDCG@10 of 1' });
    expect(within(bar).getByText('+0.500')).toBeTruthy();
    const stages = screen.getByRole('region', { name: /What each stage does/ });
    const rows = within(stages).getAllByRole('row').slice(1);
    expect(rows.map((row) => row.querySelector('th')?.textContent)).toEqual([
      'knn',
      'bm25',
      'fusion',
      'decay',
      'rerank',
      'select',
    ]);
    const worst = screen.getByRole('region', { name: /Where the most is left, of 1 golden query/ });
    expect(
      within(worst).getByRole('button', { name: /payment gateway error.*X-ray/ }),
    ).toBeTruthy();
    expect(await findings()).toEqual([]);
  });

  it('waits for a judgement', async () => {
    renderWithCore(<TuningSection />);
    expect(await screen.findByText(/Headroom shows itself once/)).toBeTruthy();
  });
});
