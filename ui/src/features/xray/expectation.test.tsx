import { act, screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { createFake } from '../../ipc/fake';
import { findings } from '../../testing/axe';
import { NOW, renderWithCore } from '../../testing/render';
import { xrayStore } from './store';
import { XraySection } from './XraySection';

const QUESTION = 'payment gateway error';

async function asked() {
  const all = renderWithCore(<XraySection />, { core: createFake({ now: NOW }) });
  await screen.findByRole('slider', { name: 'candidates' });
  await all.person.type(screen.getByRole('textbox', { name: 'Query' }), `${QUESTION}{Enter}`);
  await screen.findByRole('list', { name: 'Results, best first' });
  const store = xrayStore();
  await waitFor(() => expect(store.get().view?.unscored).toBe(0));
  const { trace } = store.get().view as NonNullable<ReturnType<typeof store.get>['view']>;
  const select = trace.stages.find(({ name }) => name === 'select');
  const out = select?.items.find(({ id }) => !trace.results.includes(id));
  return { ...all, store, missed: out?.id as string };
}

it('is a chip with its verdict in one line, in the words of the chart and of the card', async () => {
  const { person, store, missed } = await asked();
  act(() => store.expect(missed));
  const line = await screen.findByRole('region', { name: 'The expected memory' });
  const said = await within(line).findByText(/^lost at select: \d+(st|nd|rd|th), 10 are returned$/);
  const place = /\d+\w\w, 10 are returned/.exec(said.textContent ?? '')?.[0] as string;
  const card = document.querySelector('[data-stage="select"]');
  expect(card?.textContent).toContain(`the expected one is ${place}`);
  expect(await findings()).toEqual([]);
  act(() => store.set({ tab: 'results' }));
  await person.click(within(line).getByRole('button', { name: 'Show why' }));
  expect(store.get().tab).toBe('verdict');
  await person.click(within(line).getByRole('button', { name: /^No longer expect/ }));
  expect(screen.queryByRole('region', { name: 'The expected memory' })).toBeNull();
  expect(store.get()).toMatchObject({ expected: null, tab: 'results' });
});

it('offers who came close before anything is typed', async () => {
  const { person, store, missed } = await asked();
  await person.click(screen.getByRole('tab', { name: 'Why missing' }));
  const close = await screen.findByRole('list', { name: 'Found, and not among the results' });
  const offered = within(close).getAllByRole('button');
  expect(offered.length).toBeLessThanOrEqual(6);
  expect(offered[0]?.textContent).toContain(missed);
  expect(await findings()).toEqual([]);
  await person.type(screen.getByRole('searchbox', { name: /Expected memory/ }), 'webhook');
  await waitFor(() =>
    expect(screen.queryByRole('list', { name: 'Found, and not among the results' })).toBeNull(),
  );
  await person.clear(screen.getByRole('searchbox', { name: /Expected memory/ }));
  const again = await screen.findByRole('list', { name: 'Found, and not among the results' });
  await person.click(within(again).getAllByRole('button')[0] as HTMLElement);
  expect(store.get().expected).toBe(missed);
});

it('says that meaning sees a part only while vectors are missing', async () => {
  const core = createFake({ now: NOW });
  const status = core.status;
  let embedded = 120;
  core.status = async () => ({ ...(await status()), embedded, embeddable: 420 });
  renderWithCore(<XraySection />, { core });
  await screen.findByRole('slider', { name: 'candidates' });
  act(() => xrayStore().ask({ text: QUESTION }));
  await screen.findByText(/^Meaning sees 120 of 420 memories so far/);
  embedded = 420;
  act(() => core.notify({ type: 'model' }));
  await waitFor(() => expect(screen.queryByText(/^Meaning sees/)).toBeNull());
});

it('belongs to its question: another one is without it, the same one has it again', async () => {
  const { store, missed } = await asked();
  act(() => store.expect(missed));
  act(() => store.ask({ text: 'migrations rolled back' }));
  expect(store.get().expected).toBeNull();
  await waitFor(() => expect(store.get().view?.trace.query).toBe('migrations rolled back'));
  act(() => store.ask({ text: QUESTION }));
  expect(store.get()).toMatchObject({ expected: missed, tab: 'results' });
  await screen.findByText(/^lost at select/);
  act(() => store.expect(null));
  act(() => store.ask({ text: 'migrations rolled back' }));
  await waitFor(() => expect(store.get().view?.trace.query).toBe('migrations rolled back'));
  act(() => store.ask({ text: QUESTION }));
  expect(store.get().expected).toBeNull();
});
