import { screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { createFake } from '../../ipc/fake';
import { findings } from '../../testing/axe';
import { NOW, renderWithCore } from '../../testing/render';
import { XraySection } from '.';
import { xrayStore } from './store';

function beginning(watching: boolean) {
  window.location.hash = '#/xray?show=beginning';
  const core = createFake({ now: NOW, watching });
  const status = core.status;
  core.status = async () => ({ ...(await status()), demo: false });
  return core;
}

it('shows how far the logs are read, and asks the first question once they are', async () => {
  const core = beginning(false);
  await core.watchFolder({
    paths: ['/home/ada/.claude/projects'],
    format: null,
    subagents: false,
    left_out: [],
  });
  renderWithCore(<XraySection />, { core });
  expect(await screen.findByText('Your logs are being read')).toBeTruthy();
  expect(await screen.findByRole('progressbar', { name: /projects$/ })).toBeTruthy();
  expect(xrayStore().get().asked).toBeNull();
  expect(await findings()).toEqual([]);
  await waitFor(() => expect(xrayStore().get().asked?.text).toMatch(/^what was decided about /), {
    timeout: 8000,
  });
  expect(await screen.findByRole('list', { name: 'Results, best first' })).toBeTruthy();
});

it('says when nothing could be stored, and where that is explained', async () => {
  const core = beginning(true);
  const status = core.status;
  core.status = async () => ({ ...(await status()), memories: 0 });
  core.sessions = async () => [];
  const { person } = renderWithCore(<XraySection />, { core });
  expect(await screen.findByText(/Nothing in these logs could be stored/)).toBeTruthy();
  await person.click(screen.getByRole('button', { name: 'Go to Sources' }));
  expect(window.location.hash).toBe('#/sources');
});
