import { act, screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { createFake } from '../../ipc/fake';
import { PRESETS, STANDARD } from '../../ipc/fake/constants';
import { findings } from '../../testing/axe';
import { NOW, renderWithCore } from '../../testing/render';
import { xrayStore } from '../xray/store';
import { recommendedFirst, remedyFor, under, WRONGS } from './remedies';
import { TuningSection } from './TuningSection';
import { toJudge } from './Unlock';

it('knows for everything that goes wrong a preset or a constant that changes something', () => {
  for (const wrong of WRONGS) {
    const remedy = remedyFor(wrong, PRESETS, STANDARD);
    expect(under(remedy, STANDARD), wrong).not.toEqual(STANDARD);
  }
  expect(under(remedyFor('tools', PRESETS, STANDARD), STANDARD).half_life_by_kind).toBe(
    'tool_call:2,tool_result:2,fact:evergreen',
  );
  expect(remedyFor('unknown', PRESETS, STANDARD).preset?.name).toBe('Balanced (convex)');
  expect(recommendedFirst(PRESETS).map(({ name }) => name)).toEqual([
    'Balanced (convex)',
    'Standard',
    'Recency-heavy',
    'Exact-first',
  ]);
});

it('begins with the question, shows before and after on the query, and sets it with a way back', async () => {
  const { person, core } = renderWithCore(<TuningSection />, { core: createFake({ now: NOW }) });
  const store = xrayStore();
  act(() => {
    store.applyPreset(PRESETS[0] as (typeof PRESETS)[number]);
    store.ask({ text: 'payment gateway error' });
  });
  await waitFor(() => expect(store.get().phase).toBe('settled'));
  const [first] = screen.getAllByRole('heading', { level: 2 });
  expect(first?.textContent).toBe('What goes wrong?');
  const card = first?.closest('section') as HTMLElement;
  await person.click(within(card).getByRole('button', { name: 'an old memory wins' }));
  expect(within(card).getByText('Recency-heavy')).toBeTruthy();
  expect(await within(card).findByText(/^Before and after: /)).toBeTruthy();
  expect(await findings()).toEqual([]);
  expect(store.get().constants).toEqual(STANDARD);
  await person.click(within(card).getByRole('button', { name: 'Use this' }));
  expect(store.get().constants).toMatchObject({ half_life_days: 3, decay_floor: 0.3 });
  expect(core.calls.find(({ command }) => command === 'saveSettings')?.args[0]).toMatchObject({
    preset: 'Recency-heavy',
  });
  await person.click(screen.getByRole('button', { name: 'Undo' }));
  expect(store.get().constants).toEqual(STANDARD);
});

it('shows the constants that tell presets apart, and the others on demand', async () => {
  const { person } = renderWithCore(<TuningSection />);
  await screen.findByRole('row', { name: /^half-life 14/ });
  expect(screen.queryByRole('row', { name: /^rerank blend/ })).toBeNull();
  const heads = screen.getAllByRole('columnheader').map((head) => head.textContent);
  expect(heads[1]).toMatch(/^Balanced/);
  await person.click(screen.getByRole('button', { name: /^All \d+ constants/ }));
  expect(screen.getByRole('row', { name: /^rerank blend/ })).toBeTruthy();
});

it('offers past queries to judge, each once', async () => {
  const entry = (query: string, results = 3) => ({ query, results }) as never;
  expect(toJudge([entry('a b'), entry('A  b '), entry('c', 0), entry('d')])).toEqual([
    { query: 'a b', times: 2 },
    { query: 'd', times: 1 },
  ]);
});
