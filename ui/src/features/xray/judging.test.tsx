import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { findings } from '../../testing/axe';
import { renderWithCore } from '../../testing/render';
import { XraySection } from './XraySection';

async function asked() {
  const all = renderWithCore(<XraySection />, { memories: 80 });
  const input = await screen.findByRole('textbox', { name: 'Query' });
  await screen.findByRole('slider', { name: 'candidates' });
  input.focus();
  await all.person.paste('payment gateway error');
  await all.person.keyboard('{Enter}');
  await screen.findByRole('list', { name: 'Results, best first' });
  return all;
}

const rows = () =>
  within(screen.getByRole('list', { name: 'Results, best first' })).getAllByRole('listitem');
const block = () => screen.getByRole('region', { name: 'Golden queries' });
const row = (place: number) => rows()[place - 1] as HTMLElement;

describe('Judging', () => {
  it('says how to begin', async () => {
    await asked();
    expect(within(block()).getByText(/Judge a result/)).toBeTruthy();
  });

  it('works with the keys 0 to 3 on the row in focus, and the same key takes it back', async () => {
    const { core, person } = await asked();
    within(row(1)).getAllByRole('button')[0]?.focus();
    await person.keyboard('3');
    expect(
      await within(row(1)).findByRole('button', { name: /Take back “exactly this”/ }),
    ).toBeTruthy();
    expect(await within(block()).findByText('1 query · 0 worse')).toBeTruthy();
    expect(within(block()).getAllByText('1.00')).toHaveLength(3);
    await person.keyboard('0');
    expect(
      await within(row(1)).findByRole('button', { name: /Take back “not relevant”/ }),
    ).toBeTruthy();
    expect(await within(block()).findByText(/Nothing relevant is judged/)).toBeTruthy();
    await person.keyboard('0');
    expect(await within(block()).findByText(/Judge a result/)).toBeTruthy();
    const grades = core.calls.filter((call) => call.command === 'judge');
    expect(grades.map((call) => (call.args[0] as { grade: number | null }).grade)).toEqual([
      3,
      0,
      null,
    ]);
    expect(await findings()).toEqual([]);
  });

  it('works with the star', async () => {
    const { person } = await asked();
    await person.click(within(row(2)).getByRole('button', { name: /Judge as exactly this/ }));
    expect(await within(row(2)).findByText('★3')).toBeTruthy();
    await person.click(within(row(2)).getByRole('button', { name: /Take back/ }));
    expect(await within(row(2)).findByText('☆')).toBeTruthy();
  });

  it('names the query that a moving slider makes worse', async () => {
    const { person } = await asked();
    await person.click(within(row(6)).getByRole('button', { name: /Judge as exactly this/ }));
    await within(block()).findByText('1 query · 0 worse');
    await person.click(screen.getByRole('button', { name: 'More constants' }));
    const slider = screen.getByRole('slider', { name: 'results' });
    fireEvent.change(slider, { target: { value: '0' } });
    await waitFor(() => expect(within(block()).getByText('1 query · 1 worse')).toBeTruthy());
    expect(
      within(block()).getByRole('button', { name: 'Ask “payment gateway error”' }),
    ).toBeTruthy();
  });
});
