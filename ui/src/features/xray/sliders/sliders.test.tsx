import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { setPreferences } from '../../../shell/preferences';
import { findings } from '../../../testing/axe';
import { renderWithCore } from '../../../testing/render';
import { xrayStore } from '../store';
import { XraySection } from '../XraySection';
import { fits } from './search';

const ESSENTIAL = [
  'candidates',
  'RRF k',
  'keyword weight',
  'half-life',
  'decay floor',
  'rerank window',
];

async function shown() {
  const all = renderWithCore(<XraySection />);
  await screen.findByRole('slider', { name: 'candidates' });
  return all;
}

const sliders = () =>
  screen
    .getAllByRole('slider')
    .map((it) => (it as HTMLInputElement).labels?.[0]?.textContent ?? '')
    .filter((name) => name !== '');

const changed = () => screen.getByRole('list', { name: 'Changed constants' });

afterEach(() => setPreferences({ allConstants: false }));

describe('the constants under the X-ray', () => {
  it('are the essential ones, until the others are asked for', async () => {
    const { person } = await shown();
    expect(sliders()).toEqual(ESSENTIAL);
    await person.click(screen.getByRole('button', { name: 'More constants' }));
    expect(sliders()).toEqual(expect.arrayContaining([...ESSENTIAL, 'feedback', 'token budget']));
    expect(document.activeElement).toBe(screen.getByRole('searchbox', { name: 'Find a constant' }));
    expect(await findings()).toEqual([]);
    await person.keyboard('{Escape}');
    expect(sliders()).toEqual(ESSENTIAL);
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'More constants' }));
  });

  it('open by a key, and stay open in the next window', async () => {
    const { person, unmount } = await shown();
    await person.keyboard('{Alt>}[KeyC]{/Alt}');
    expect(sliders()).toContain('MMR λ');
    unmount();
    await shown();
    expect(sliders()).toContain('MMR λ');
    // Nobody opened it just now, so it does not take the focus from the query.
    expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Query' }));
  });

  it('are found by what they do; nothing moves meanwhile', async () => {
    const { person } = await shown();
    await person.click(screen.getByRole('button', { name: 'More constants' }));
    const before = sliders();
    await person.keyboard('oldest');
    expect(screen.getByText('1 constant fits')).toBeTruthy();
    expect(sliders()).toEqual(before);
    const faded = (name: string) =>
      screen.getByRole('slider', { name }).closest('[data-constant]')?.hasAttribute('data-faded');
    expect(faded('decay floor')).toBe(false);
    expect(faded('feedback')).toBe(true);
  });

  it.each([
    ['half_life_days', 'HALF life', true],
    ['half_life_days', 'rerank', false],
    ['mmr', 'differ results', true],
    ['candidates', '', true],
  ])('%s and "%s"', (name, find, found) => expect(fits(name, find)).toBe(found));

  it('that differ from the preset stay in sight, with a way back', async () => {
    const { person } = await shown();
    await person.click(screen.getByRole('button', { name: 'More constants' }));
    fireEvent.change(screen.getByRole('slider', { name: 'rerank blend' }), {
      target: { value: '1000' },
    });
    await person.click(screen.getByRole('switch', { name: 'MMR' }));
    await person.click(screen.getByRole('button', { name: 'Fewer constants' }));
    expect(within(changed()).getByRole('slider', { name: 'rerank blend' })).toBeTruthy();
    expect(changed().textContent).toMatch(/MMR on/);
    await person.click(screen.getByRole('button', { name: 'MMR back to off' }));
    await person.click(screen.getByRole('button', { name: 'rerank blend back to 0.70' }));
    expect(changed().textContent).toBe('');
    expect(screen.getByRole('button', { name: /^Reset/ }).hasAttribute('disabled')).toBe(true);
  });

  it('are shown and lit by Try, wherever their slider is', async () => {
    await shown();
    const lit = () => document.querySelector('[class*="lit"]')?.closest('[data-constant]');
    xrayStore().tryOut('decay_floor', 0.4);
    await waitFor(() => expect(lit()?.getAttribute('data-constant')).toBe('decay_floor'));
    xrayStore().tryOut('rerank_blend', 0.9);
    await waitFor(() => expect(lit()?.getAttribute('data-constant')).toBe('rerank_blend'));
    expect(within(changed()).getByRole('slider', { name: 'rerank blend' })).toBeTruthy();
    setPreferences({ allConstants: true });
    await waitFor(() => expect(within(changed()).queryByRole('slider')).toBeNull());
    expect(lit()?.getAttribute('data-constant')).toBe('rerank_blend');
  });
});
