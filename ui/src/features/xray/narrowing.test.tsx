import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { findings } from '../../testing/axe';
import { renderWithCore } from '../../testing/render';
import { XraySection } from './XraySection';

afterEach(() => vi.restoreAllMocks());

const rows = () =>
  [...document.querySelectorAll<HTMLElement>('ol [data-row]')].map((row) => row.dataset.row);

it('folds kinds that have no room into a menu, from which they narrow like the others', async () => {
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(300);
  const { person } = renderWithCore(<XraySection />);
  await person.type(screen.getByRole('textbox', { name: 'Query' }), 'payment gateway error{Enter}');
  const bar = await screen.findByRole('group', { name: 'Show of the results' });
  await waitFor(() => expect(rows().length).toBeGreaterThan(3));
  const before = rows();
  expect(within(bar).queryByRole('button', { name: /^answers/ })).toBeNull();
  expect(within(bar).getByRole('button', { name: 'conversation first' })).toBeTruthy();
  await person.click(within(bar).getByRole('button', { name: /^kind/ }));
  const answers = await screen.findByRole('option', { name: /answers/ });
  const count = Number(/\d+/.exec(answers.textContent ?? '')?.[0]);
  await person.click(answers);
  await person.keyboard('{Escape}');
  await waitFor(() => expect(rows()).toHaveLength(count));
  expect(rows()).toEqual(before.filter((id) => rows().includes(id)));
  expect(await findings()).toEqual([]);
});
