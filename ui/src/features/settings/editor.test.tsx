import { screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { findings } from '../../testing/axe';
import { renderWithCore } from '../../testing/render';
import { SettingsSection } from './SettingsSection';

it('an editor is chosen among those that are offered, and given up again', async () => {
  const { core, person } = renderWithCore(<SettingsSection />);
  await person.click(await screen.findByRole('button', { name: /at its line/ }));
  await person.click(await screen.findByRole('option', { name: 'Zed' }));
  await waitFor(async () => expect((await core.settings()).editor).toBe('zed {file}:{line}'));
  expect(screen.getByText(/LETHESCOPE_EDITOR/)).toBeTruthy();
  expect(await findings()).toEqual([]);

  await person.click(screen.getByRole('button', { name: /at its line/ }));
  await person.click(await screen.findByRole('option', { name: 'no editor' }));
  await waitFor(async () => expect((await core.settings()).editor).toBe(''));
});
