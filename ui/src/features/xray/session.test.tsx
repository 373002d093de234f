import { cleanup, screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { findings } from '../../testing/axe';
import { renderWithCore } from '../../testing/render';
import { xrayStore } from './store';
import { XraySection } from './XraySection';

async function asked(text: string) {
  const all = renderWithCore(<XraySection />);
  const input = await screen.findByRole('textbox', { name: 'Query' });
  await screen.findByRole('slider', { name: 'candidates' });
  input.focus();
  await all.person.paste(text);
  await all.person.keyboard('{Enter}');
  await screen.findByRole('list', { name: 'Results, best first' });
  return { ...all, input };
}

const rows = () =>
  [...document.querySelectorAll<HTMLElement>('[data-row]')].map((row) => row.dataset.row);

it('reads the conversation of a result by keyboard alone, and comes back to its row', async () => {
  const { person, core } = await asked('payment gateway error');
  await waitFor(() => expect(core.calls.some((call) => call.command === 'retune')).toBe(true));
  await person.keyboard('{ArrowDown}{ArrowDown}');
  const row = document.activeElement as HTMLElement;
  const id = row.dataset.row as string;
  expect(rows()[1]).toBe(id);

  await person.keyboard('{Enter}');
  const panel = await screen.findByRole('article', { name: 'Memory' });
  await within(panel).findByRole('region', { name: 'Around it in the conversation' });
  const read = within(panel).getByRole('button', { name: 'Read the conversation' });
  await waitFor(() => expect(document.activeElement).toBe(read));

  await person.keyboard('{Enter}');
  const dialog = await screen.findByRole('dialog');
  const whole = await core.session(id);
  await waitFor(() =>
    expect(
      [...dialog.querySelectorAll('[data-turn]')].map((one) => one.getAttribute('data-turn')),
    ).toEqual(whole.turns.map((turn) => turn.id)),
  );
  const here = dialog.querySelector('[data-here]');
  expect(here?.getAttribute('data-turn')).toBe(id);
  expect(here?.textContent).toContain('2nd result');
  expect(await findings()).toEqual([]);

  await person.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await waitFor(() => expect(document.activeElement?.textContent).toBe('Read the conversation'));
  await person.keyboard('{Escape}');
  await waitFor(() => expect((document.activeElement as HTMLElement).dataset.row).toBe(id));
});

it('narrows the list to what was said, says how much is shown, and leaves every place as it is', async () => {
  const { person, core } = await asked('payment gateway error');
  await waitFor(() => expect(core.calls.some((call) => call.command === 'retune')).toBe(true));
  const asks = () => core.calls.filter(({ command }) => /^(query|retune)$/.test(command)).length;
  const before = rows();
  const held = asks();
  const group = screen.getByRole('group', { name: 'Show of the results' });
  const answers = within(group).getByRole('button', { name: /^answers \d/ });
  await person.click(answers);
  const shown = rows();
  expect(shown).toHaveLength(Number(/\d+/.exec(answers.textContent ?? '')?.[0]));
  expect(shown).toEqual(before.filter((id) => shown.includes(id)));
  expect(within(group).getByRole('status').textContent).toMatch(/shown; the stages are unchanged/);
  expect(await findings()).toEqual([]);
  expect(asks()).toBe(held);
  await person.click(answers);
  expect(rows()).toEqual(before);
});

it('opens the log of a memory in the editor that is set, and leads to where one is chosen', async () => {
  const { person, core } = await asked('payment gateway error');
  await person.keyboard('{ArrowDown}{Enter}');
  const id = xrayStore().get().open;
  await person.click(await screen.findByRole('button', { name: 'Choose an editor…' }));
  expect(window.location.hash).toBe('#/settings');
  await core.saveSettings({
    lock_after_minutes: null,
    theme: null,
    preset: null,
    editor: 'zed {file}:{line}',
  });
  window.location.hash = '';
  cleanup();
  const again = renderWithCore(<XraySection />, { core });
  await again.person.click(await screen.findByRole('button', { name: 'Open in the editor' }));
  expect(core.calls.filter(({ command }) => command === 'openSource')).toEqual([
    { command: 'openSource', args: [id] },
  ]);
});

it('O on a result opens its log, X says that it was expected', async () => {
  const { person, core } = await asked('payment gateway error');
  await person.keyboard('{ArrowDown}{ArrowDown}');
  const id = (document.activeElement as HTMLElement).dataset.row as string;
  await person.keyboard('o');
  expect(core.calls.at(-1)).toEqual({ command: 'openSource', args: [id] });
  await person.keyboard('x');
  await waitFor(() => expect(xrayStore().get()).toMatchObject({ expected: id, tab: 'verdict' }));
});
