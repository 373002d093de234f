/** The main job without a pointer: nothing that is pressed on the way lets the focus fall. */
import { screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { App } from '../../app/App';
import { renderWithCore } from '../../testing/render';
import { xrayStore } from './store';

const focused = () => document.activeElement as HTMLElement;
const stands = async (what: (element: HTMLElement) => boolean) =>
  waitFor(() => expect(what(focused()), focused().outerHTML.slice(0, 200)).toBe(true));
/** Something inside the page has the focus, also after what had it is gone. */
const held = () => stands((element) => element !== document.body && element.isConnected);

async function asked(text: string) {
  window.location.hash = '';
  const all = renderWithCore(<App />, { whole: true });
  const input = await screen.findByRole('textbox', { name: 'Query' }, { timeout: 5000 });
  await screen.findByRole('slider', { name: 'candidates' });
  input.focus();
  await all.person.keyboard(`${text}{Enter}`);
  await screen.findByRole('list', { name: 'Results, best first' });
  await waitFor(() => expect(xrayStore().get().view?.unscored).toBe(0));
  return { ...all, input };
}

it('ask, read, go back, expect, verdict, apply, undo, judge, and back to the question', async () => {
  const { person, core, input } = await asked('payment gateway error');
  const store = xrayStore();
  await person.keyboard('{ArrowDown}{ArrowDown}');
  const row = focused().dataset.row as string;
  expect(store.get().view?.trace.results[1]).toBe(row);

  await person.keyboard('{Enter}');
  await stands((element) => element.textContent === 'Read the conversation');
  await person.keyboard('{Enter}');
  await screen.findByRole('dialog');
  await person.keyboard('{Escape}');
  await stands((element) => element.textContent === 'Read the conversation');
  await person.keyboard('{Escape}');
  await stands((element) => element.dataset.row === row);

  await person.keyboard('f');
  await stands((element) => element.closest('[data-facets]') !== null);
  await person.keyboard('{Escape}');
  await stands((element) => element === input);
  await person.keyboard('{ArrowDown}{ArrowDown}w');
  expect(store.get().tab).toBe('verdict');
  await stands((element) => element.matches('input[type="search"]'));
  await person.keyboard('{Escape}');
  await stands((element) => element.dataset.row === row);

  await person.keyboard('3');
  await waitFor(() => expect(core.calls.some(({ command }) => command === 'judge')).toBe(true));
  await stands((element) => element.dataset.row === row);

  // One that the final cut left out is expected from the verdict's own search.
  const { trace } = store.get().view as NonNullable<ReturnType<typeof store.get>['view']>;
  const select = trace.stages.find(({ name }) => name === 'select');
  const missed = select?.items.find(({ id }) => !trace.results.includes(id))?.id as string;
  await person.keyboard('w');
  await stands((element) => element.matches('input[type="search"]'));
  await person.keyboard(missed);
  const found = await screen.findByRole('list', { name: 'Memories that contain this' });
  within(found).getAllByRole('button')[0]?.focus();
  await person.keyboard('{Enter}');
  await screen.findByText(/^Lost at select/);
  await held();
  // What to press has the focus already.
  await stands((element) => /^Try results/.test(element.getAttribute('aria-label') ?? ''));
  await person.keyboard('{Enter}');
  await waitFor(() => expect(screen.queryByText(/^Lost at/)).toBeNull());
  await held();
  await person.keyboard('{Control>}z{/Control}');
  await screen.findByText(/^Lost at select/);
  await held();
  await person.keyboard('{Escape}');
  await held();
  expect(store.get().tab).toBe('results');
}, 30_000);

it('shows the map of all keys over everything, and none while somebody types', async () => {
  const { person, input } = await asked('payment gateway error');
  await person.keyboard('?');
  expect(screen.queryByRole('dialog')).toBeNull();
  expect((input as HTMLInputElement).value).toMatch(/\?$/);
  await person.keyboard('{Backspace}{ArrowDown}?');
  const map = await screen.findByRole('dialog', { name: 'Keys' });
  expect(within(map).getByText('judge the result that has the focus')).toBeTruthy();
  await person.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await stands((element) => element.dataset.row !== undefined);
});

it('reaches the stages and the flow by one Tab each, and walks inside by arrows', async () => {
  const { person } = await asked('payment gateway error');
  const stages = screen.getByRole('region', { name: 'Stages of the pipeline' });
  const stops = () =>
    within(stages)
      .getAllByRole('button')
      .filter((one) => one.tabIndex === 0);
  expect(stops()).toHaveLength(1);
  stops()[0]?.focus();
  await person.keyboard('{ArrowRight}{ArrowRight}');
  expect(focused().dataset.stage).toBe('bm25');
  expect(stops()).toEqual([focused()]);
  await person.tab();
  expect(stages.contains(focused())).toBe(false);
  const names = [...document.querySelectorAll<HTMLElement>('svg + ol button')];
  expect(names.length).toBeGreaterThan(3);
  expect(names.filter((one) => one.tabIndex === 0)).toHaveLength(1);
});
