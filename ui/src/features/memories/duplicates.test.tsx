import { act, screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { DuplicatesView } from '../../ipc/bindings';
import { createFake } from '../../ipc/fake';
import { findings } from '../../testing/axe';
import { NOW, renderWithCore } from '../../testing/render';
import { MemoriesSection } from './MemoriesSection';

async function opened(change: Partial<DuplicatesView> = {}) {
  const core = createFake({ now: NOW, memories: 60 });
  const cards = await Promise.all(
    ['m1', 'm2', 'm3', 'm4'].map(async (id) => (await core.getMemory(id, null)).card),
  );
  const [a, b, c, d] = cards;
  if (!a || !b || !c || !d) throw new Error('the invented core has four memories');
  const asked: (number | null)[] = [];
  const view: DuplicatesView = {
    ...{ in_force: 0.95, at: 0.95, compared: 60, of: 60, kept: 0 },
    joined: Array.from({ length: 21 }, (_, step) => ({
      at: Math.round(80 + step) / 100,
      pairs: 20 - step,
    })),
    groups: [{ cards: [a, b], count: 2, similarity: 0.971 }],
    group_count: 1,
    contradictions: [{ older: c, newer: d, similarity: 0.968, apart: 'negation' }],
    contradiction_count: 1,
    ...change,
  };
  core.duplicates = async (at) => {
    asked.push(at);
    return { ...view, at: at ?? view.at };
  };
  const shown = renderWithCore(<MemoriesSection />, { core });
  await shown.person.click(await screen.findByRole('radio', { name: 'duplicates' }));
  return { ...shown, core, asked };
}

const calls = (core: ReturnType<typeof createFake>, command: string) =>
  core.calls.filter((call) => call.command === command).map(({ args }) => args);

it('lists what says nearly the same and what may contradict, and leads to each', async () => {
  const { person } = await opened();
  const list = await screen.findByRole('region', { name: 'Memories that mean nearly the same' });
  expect(within(list).getByText('1 group of nearly the same text')).toBeTruthy();
  expect(within(list).getByText('2 memories, cosine 0.971')).toBeTruthy();
  expect(within(list).getByText('1 possible contradiction')).toBeTruthy();
  expect(within(list).getByText('Cosine 0.968, but one denies what the other says')).toBeTruthy();
  expect(within(list).getByText(/^stored first · /)).toBeTruthy();
  expect(await findings()).toEqual([]);
  const [, , first] = within(list).getAllByRole('button', { name: /m\d+ / });
  await person.click(first as HTMLElement);
  expect((await screen.findByRole('article', { name: /m1$|m1\b/ })).textContent).toContain('m1');
});

it('keeps both and takes that back, keeps the later one, and offers to merge', async () => {
  const { core, person } = await opened();
  const [keep] = await screen.findAllByRole('button', { name: 'Keep both' });
  await person.click(keep as HTMLElement);
  await waitFor(() => expect(calls(core, 'keepApart')).toEqual([[['m3', 'm4']]]));
  expect(await screen.findByText('1 pair kept apart')).toBeTruthy();
  await person.click(await screen.findByRole('button', { name: 'Undo' }));
  await waitFor(() => expect(calls(core, 'letJoin')).toEqual([[['m3', 'm4']]]));
  await person.click(screen.getByRole('button', { name: 'Keep the later one' }));
  await waitFor(() => expect(calls(core, 'deleteMemories')).toEqual([[['m3']]]));
  const merge = screen.getAllByRole('button', { name: 'Merge …' }).at(-1);
  await person.click(merge as HTMLElement);
  expect(await screen.findByRole('dialog')).toBeTruthy();
  expect(calls(core, 'mergeDraft').at(-1)).toEqual([['m1', 'm2']]);
});

it('tells how many pairs a cosine links before it is moved', async () => {
  const { core, person, asked } = await opened();
  const slider = await screen.findByRole('slider', { name: 'Nearly the same from' });
  expect(screen.getByText('a cosine of 0.95 links 5 pairs')).toBeTruthy();
  expect(screen.queryByRole('button', { name: /^Link from/ })).toBeNull();
  act(() => slider.focus());
  await person.keyboard('{ArrowLeft}{ArrowLeft}{ArrowLeft}{ArrowLeft}{ArrowLeft}');
  expect(screen.getByText('a cosine of 0.90 links 10 pairs')).toBeTruthy();
  await waitFor(() => expect(asked.at(-1)).toBe(0.9));
  expect(calls(core, 'setNearDuplicate')).toEqual([]);
  await person.click(screen.getByRole('button', { name: 'Link from 0.90 on' }));
  await waitFor(() => expect(calls(core, 'setNearDuplicate')).toEqual([[0.9]]));
});

it('says when there is nothing, when nothing can be compared, and what was not', async () => {
  const nothing = { groups: [], group_count: 0, contradictions: [], contradiction_count: 0 };
  const first = await opened({ ...nothing, compared: 50, kept: 2 });
  expect(await screen.findByText('Nothing says nearly the same')).toBeTruthy();
  expect(
    screen.getByText(
      '2 pairs kept apart by you · the newest 50 of 60 were compared with all older ones',
    ),
  ).toBeTruthy();
  first.unmount();
  await opened({ of: 0 });
  expect(await screen.findByText('No memory has a vector yet')).toBeTruthy();
});
