import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { findings } from '../../testing/axe';
import { renderWithCore } from '../../testing/render';
import { STANDARD } from '../../testing/trace';
import { xrayStore } from '../xray/store';
import { TuningSection } from './TuningSection';

describe('Tuning', () => {
  it('lists the presets and marks what differs from Standard', async () => {
    renderWithCore(<TuningSection />);
    const row = await screen.findByRole('row', { name: /^decay floor/ });
    const presets = screen.getAllByRole('columnheader').map((head) => head.textContent);
    const at = presets.findIndex((name) => name?.startsWith('Recency-heavy'));
    const floors = within(row).getAllByRole('cell');
    expect(floors[at - 1]?.textContent).toBe('0.30');
    expect(floors.map((floor) => floor.dataset.differs)).toEqual(
      floors.map((_, place) => (place === at - 1 ? 'true' : undefined)),
    );
    expect(screen.getByText(/Ask a query in the X-ray first/)).toBeTruthy();
    expect(await findings()).toEqual([]);
  });

  it('compares two presets on the current query', async () => {
    const { core } = renderWithCore(<TuningSection />);
    const store = xrayStore();
    store.set({ constants: STANDARD });
    store.ask({ text: 'payment gateway error' });
    expect(await screen.findByText(/From A to B/)).toBeTruthy();
    expect(core.calls.filter((call) => call.command === 'query')).toHaveLength(1);
    expect(await findings()).toEqual([]);
  });

  it('takes a preset into use', async () => {
    const { core, person } = renderWithCore(<TuningSection />);
    await person.click(await screen.findByRole('button', { name: 'Use Exact-first' }));
    await waitFor(() => expect(xrayStore().get().preset?.name).toBe('Exact-first'));
    expect(core.calls.find((call) => call.command === 'saveSettings')?.args[0]).toMatchObject({
      preset: 'Exact-first',
    });
  });
});
