import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { findings } from '../testing/axe';
import { renderWithCore } from '../testing/render';
import { App } from './App';

afterEach(() => vi.useRealTimers());

it.each(['memories', 'sources', 'vault', 'settings'])(
  'has no accessibility finding in %s',
  async (section) => {
    window.location.hash = `#/${section}`;
    renderWithCore(<App />, { whole: true });
    await screen.findByRole('navigation');
    await waitFor(() => expect(screen.getByRole('main').textContent).not.toBe(''));
    expect(await findings()).toEqual([]);
  },
);

it('reaches everything from the palette', async () => {
  window.location.hash = '#/vault';
  const { person } = renderWithCore(<App />, { whole: true });
  await screen.findByRole('navigation');
  await person.keyboard('{Control>}k{/Control}');
  await person.type(await screen.findByRole('searchbox', { name: 'Commands' }), 'unpack');
  expect(screen.getByRole('menuitem', { name: /Find memories/ })).toBeTruthy();
  expect(await findings()).toEqual([]);
  await person.clear(screen.getByRole('searchbox', { name: 'Commands' }));
  await person.type(screen.getByRole('searchbox', { name: 'Commands' }), 'settings');
  await person.keyboard('{Enter}');
  await waitFor(() => expect(window.location.hash).toBe('#/settings'));

  await person.keyboard('{Control>}k{/Control}');
  await person.type(await screen.findByRole('searchbox', { name: 'Commands' }), 'rate limiter');
  await person.click(screen.getByRole('menuitem', { name: /Find memories/ }));
  const field = await screen.findByRole('searchbox', { name: 'Text in memories' });
  await waitFor(() => expect(field).toHaveValue('rate limiter'));
  expect(window.location.hash).toBe('#/memories');
});

it('forgets everything it showed when the vault locks', async () => {
  window.location.hash = '#/memories?id=m1';
  const { core, client } = renderWithCore(<App />, { whole: true });
  expect(
    await screen.findByText(/Fixed in 9fceb02/, { selector: '[data-content] *' }),
  ).toBeTruthy();
  await act(() => core.lock());
  expect(await screen.findByText('Your vault is locked')).toBeTruthy();
  expect(document.body.textContent).not.toContain('9fceb02');
  const cached = client
    .getQueryCache()
    .getAll()
    .map((query) => query.state.data);
  expect(JSON.stringify(cached)).not.toContain('9fceb02');
});

it('says that the model is missing and tries again', async () => {
  window.location.hash = '#/vault';
  const { person } = renderWithCore(<App />, {
    whole: true,
    model: { state: 'missing', reason: 'model_int8.onnx was not found.' },
  });
  expect(await screen.findByText(/0 of 420 embedded: model missing/)).toBeTruthy();
  await person.click(screen.getByRole('button', { name: 'Try again' }));
  await waitFor(() => expect(screen.queryByText(/model missing/)).toBeNull());
});

it('locks when nobody has touched the window for as long as the settings say', async () => {
  window.location.hash = '#/settings';
  const { core } = renderWithCore(<App />, { whole: true });
  await act(() => core.saveSettings({ lock_after_minutes: 1 }));
  await act(async () => core.notify({ type: 'model' }));
  await screen.findByText(/locks in (1:00|0:59)/);
  // The state is asked for four times a second at most, by the real clock until here.
  await new Promise((done) => setTimeout(done, 300));
  vi.useFakeTimers({ shouldAdvanceTime: true });
  // The running interval was made by the real clock: a touch of the minutes makes a new one.
  await act(() => core.saveSettings({ lock_after_minutes: 2 }));
  await act(async () => core.notify({ type: 'model' }));
  await act(() => vi.advanceTimersByTimeAsync(100_000));
  fireEvent.keyDown(window, { key: 'Shift' });
  await act(() => vi.advanceTimersByTimeAsync(100_000));
  expect(core.calls.some((call) => call.command === 'lock')).toBe(false);
  await act(() => vi.advanceTimersByTimeAsync(30_000));
  expect(core.calls.some((call) => call.command === 'lock')).toBe(true);
});

it('takes the last change back with the keyboard, but not while typing', async () => {
  window.location.hash = '#/memories';
  const { core, person } = renderWithCore(<App />, { whole: true });
  const list = await screen.findByRole('listbox');
  await waitFor(() => expect(list.getAttribute('aria-activedescendant')).toBeTruthy());
  act(() => list.focus());
  await person.keyboard('{Delete}');
  await screen.findByRole('listbox', { name: /^419 memories/ });
  act(() => screen.getByRole('searchbox').focus());
  await person.keyboard('{Control>}z{/Control}');
  expect(core.calls.some((call) => call.command === 'undo')).toBe(false);
  act(() => screen.getByRole('listbox').focus());
  await person.keyboard('{Control>}z{/Control}');
  expect(await screen.findByRole('listbox', { name: /^420 memories/ })).toBeTruthy();
});

it('counts what came in since the list was looked at', async () => {
  window.location.hash = '#/settings';
  const { core } = renderWithCore(<App />, { whole: true });
  await screen.findByText(/0 new since/);
  act(() => core.arrive(3));
  expect(await screen.findByText(/3 new since/)).toBeTruthy();
});
