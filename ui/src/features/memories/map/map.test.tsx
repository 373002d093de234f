import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { MapView } from '../../../ipc/bindings';
import { createFake } from '../../../ipc/fake';
import { findings } from '../../../testing/axe';
import { NOW, renderWithCore } from '../../../testing/render';
import { STANDARD } from '../../../testing/trace';
import { xrayStore } from '../../xray/store';
import { MemoriesSection } from '../MemoriesSection';
import { grouped, telling } from './groups';
import { fitted } from './neighbours';

async function onMap(core = createFake({ now: NOW, memories: 40 })) {
  const all = renderWithCore(<MemoriesSection />, { core });
  await all.person.click(await screen.findByRole('radio', { name: 'map' }));
  await screen.findByRole('region', { name: 'Map of the memories' });
  return all;
}

afterEach(() => void vi.unstubAllGlobals());

describe('the map', () => {
  it('says how much of the difference it shows, and that nearness misleads', async () => {
    await onMap();
    const map = screen.getByRole('region', { name: 'Map of the memories' });
    expect(within(map).getByRole('heading').textContent).toBe(
      '40 memories by meaning: two directions hold 13 % of how they differ',
    );
    expect(map.textContent).toMatch(/384 dimensions are pressed into two/);
    expect(await findings()).toEqual([]);
  });

  it('has a table twin whose rows open memories by keyboard', async () => {
    const { person } = await onMap();
    const shapes = screen.getAllByRole('radiogroup', { name: 'Shown as' });
    await person.click(within(shapes.at(-1) as HTMLElement).getByRole('radio', { name: 'table' }));
    const table = await screen.findByRole('table', { name: /newest on the map/ });
    expect(within(table).getAllByRole('row')).toHaveLength(41);
    const rows = within(table).getAllByRole('button');
    rows[0]?.focus();
    await person.keyboard('{ArrowDown}{Enter}');
    await screen.findByRole('region', { name: 'The chosen memory' });
    expect(await findings()).toEqual([]);
  });

  it('singles out a group, and narrows the list to what was picked', async () => {
    const { person, core } = await onMap();
    const legend = screen.getByRole('list', { name: /Groups/ });
    const first = within(legend).getAllByRole('button')[0] as HTMLElement;
    await person.click(first);
    expect(first.getAttribute('aria-pressed')).toBe('true');
    const canvas = screen.getByRole('application');
    Object.assign(canvas, { setPointerCapture: () => {} });
    await person.click(screen.getByRole('radio', { name: /lasso/ }));
    // jsdom has no pointers, and lays nothing out, so the whole plane lies inside the lasso.
    vi.stubGlobal('PointerEvent', class extends MouseEvent {});
    fireEvent.pointerDown(canvas, { button: 0, clientX: -1e6, clientY: -1e6, pointerId: 1 });
    for (const [clientX, clientY] of [
      [1e6, -1e6],
      [1e6, 1e6],
      [-1e6, 1e6],
    ])
      fireEvent.pointerMove(canvas, { clientX, clientY, pointerId: 1 });
    fireEvent.pointerUp(canvas, { clientX: -1e6, clientY: 1e6, pointerId: 1 });
    vi.unstubAllGlobals();
    await screen.findByRole('button', { name: /memories on the map/ });
    await waitFor(() => {
      const asked = core.calls.filter((call) => call.command === 'listMemories').at(-1)?.args[0];
      expect((asked as { only: string[] }).only).toHaveLength(40);
    });
    await person.click(screen.getByRole('button', { name: /Show all again/ }));
    await waitFor(() =>
      expect(screen.queryByRole('button', { name: /memories on the map/ })).toBeNull(),
    );
  });

  it('names the true cosine of the expected memory, and colours by outcome', async () => {
    const core = createFake({ now: NOW, memories: 40 });
    const { person } = await onMap(core);
    const store = xrayStore();
    store.set({ constants: STANDARD });
    store.ask({ text: 'payment gateway' });
    await waitFor(() => expect(store.get().view).not.toBeNull());
    store.expect(store.get().view?.trace.results[2] ?? null);
    await waitFor(() =>
      expect(screen.getByRole('region', { name: 'Map of the memories' }).textContent).toMatch(
        /nearer to the query than the expected one \(cosine 0\.\d+\)|truly the nearest/,
      ),
    );
    await person.click(await screen.findByRole('radio', { name: 'outcome' }));
    const legend = screen.getByRole('list', { name: /Groups/ });
    expect(legend.textContent).toMatch(/result 10/);
  });

  it('colours by what tells memories apart, until somebody chooses', () => {
    const map = { ...EMPTY, agents: ['a', 'b'], kinds: ['text', 'fact'], age_days: [1, 90] };
    expect(telling({ ...map, agent: [0, 1], kind: [0, 1] })).toBe('agent');
    expect(telling({ ...map, agent: [0, 0], kind: [0, 1] })).toBe('kind');
    expect(telling({ ...map, agent: [0, 0], kind: [1, 1] })).toBe('age');
  });

  it('says why it is empty without a model', async () => {
    const core = createFake({ now: NOW, memories: 4 });
    core.map = async () => ({ ...EMPTY, model: null });
    renderWithCore(<MemoriesSection />, { core });
    fireEvent.click(await screen.findByRole('radio', { name: 'map' }));
    expect(await screen.findByText(/the embedding model is missing/)).toBeTruthy();
  });
});

const EMPTY: MapView = {
  model: 'm',
  dimension: 384,
  explained: [0, 0],
  without: 4,
  ids: [],
  x: [],
  y: [],
  agents: [],
  agent: [],
  kinds: [],
  kind: [],
  age_days: [],
  query: null,
  cosine: [],
};

describe('the neighbour map', () => {
  it('takes the flat picture’s place when it is there, says what it means, and can be left', async () => {
    const { person, core } = await onMap();
    const map = screen.getByRole('region', { name: 'Map of the memories' });
    expect(
      await within(map).findByRole('progressbar', { name: /Laying neighbours out/ }),
    ).toBeTruthy();
    const choice = await within(map).findByRole('radio', { name: 'neighbours' }, { timeout: 4000 });
    expect(choice.getAttribute('aria-checked')).toBe('true');
    expect(within(map).getByRole('heading').textContent).toBe(
      '40 memories by their neighbours: 46 % of the ten nearest stay beside each other',
    );
    expect(map.textContent).toMatch(/principal components: 8 %.*density mean nothing/);
    expect(await findings()).toEqual([]);
    await person.click(within(map).getByRole('radio', { name: 'principal components' }));
    expect(map.textContent).toMatch(/384 dimensions are pressed into two/);
    const actions = core.calls
      .filter((call) => call.command === 'neighbourMap')
      .map((call) => (call.args[0] as { action: string }).action);
    expect(actions.filter((action) => action === 'start')).toHaveLength(1);
  });

  it('can be called off and begun again', async () => {
    const { person } = await onMap();
    const map = screen.getByRole('region', { name: 'Map of the memories' });
    await person.click(await within(map).findByRole('button', { name: 'Stop' }));
    const again = await within(map).findByRole('button', { name: 'Lay neighbours out' });
    expect(map.textContent).toMatch(/384 dimensions are pressed into two/);
    await person.click(again);
    expect(
      await within(map).findByRole('radio', { name: 'neighbours' }, { timeout: 4000 }),
    ).toBeTruthy();
  });

  it('lies in the frame of the flat one, in its order; strangers have no place', () => {
    const flat = { ...EMPTY, ids: ['m1', 'm2', 'm3'], x: [-1, 1, 0], y: [0, 2, 1] };
    const laid = fitted(flat, {
      state: 'ready',
      done: 1,
      ids: ['m2', 'm1'],
      x: [50, 10],
      y: [0, 20],
      laid_out: 2,
      kept: 1,
      kept_flat: 0,
      query: { text: '', x: 30, y: 10 },
    });
    expect(laid?.x.slice(0, 2)).toEqual([-1, 1]);
    expect(laid?.y[0]).toBeCloseTo(1.5);
    expect(laid?.x[2]).toBeNaN();
    expect(laid?.query?.x).toBeCloseTo(0);
    expect(fitted(flat, null)).toBeNull();
  });
});

describe('groups', () => {
  const map: MapView = {
    ...EMPTY,
    ids: Array.from({ length: 30 }, (_, at) => `m${at}`),
    agents: Array.from({ length: 12 }, (_, at) => `agent ${at}`),
    agent: Array.from({ length: 30 }, (_, at) => (at < 12 ? at : 11)),
    kinds: ['text', 'tool_result'],
    kind: Array.from({ length: 30 }, (_, at) => at % 2),
    age_days: Array.from({ length: 30 }, (_, at) => (at === 0 ? null : at * 20)),
  };

  it('give the frequent ones colours of their own and share the last one', () => {
    const groups = grouped(map, 'agent', null, false);
    expect(groups.names[0]).toBe('agent 11');
    expect(groups.names).toHaveLength(8);
    expect(groups.names.at(-1)).toBe('5 others');
    expect(groups.counts.reduce((a, b) => a + b, 0)).toBe(30);
    expect(grouped(map, 'kind', null, false).names).toContain('tool result');
  });

  it('put ages in order and keep unknown ones apart', () => {
    const groups = grouped(map, 'age', null, true);
    expect(groups.group[0]).toBe(5);
    expect(groups.group[1]).toBe(1);
    expect(groups.group[29]).toBe(4);
    expect(groups.colours).toHaveLength(6);
  });
});
