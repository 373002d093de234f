import { screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { findings } from '../../testing/axe';
import { renderWithCore } from '../../testing/render';
import { SettingsSection } from './SettingsSection';

it('an editor is chosen by name, or by a command of one’s own', async () => {
  const { core, person } = renderWithCore(<SettingsSection />);
  await person.click(await screen.findByRole('button', { name: /at its line/ }));
  await person.click(await screen.findByRole('option', { name: 'Zed' }));
  await waitFor(async () => expect((await core.settings()).editor).toBe('zed {file}:{line}'));

  await person.click(screen.getByRole('button', { name: /at its line/ }));
  await person.click(await screen.findByRole('option', { name: 'a command of your own' }));
  const field = screen.getByRole('textbox', { name: 'Command' });
  await person.clear(field);
  await person.click(field);
  await person.paste('hx {file}:{line}');
  expect(await findings()).toEqual([]);
  await person.click(screen.getByRole('button', { name: 'Save the command' }));
  await waitFor(async () => expect((await core.settings()).editor).toBe('hx {file}:{line}'));
});
