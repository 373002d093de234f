// The system's own dialog for files. It is GTK's and no part of the page: WebDriver cannot see it, so keys reach it
// through the display. Without a window manager nobody else gives it the focus.

import { spawnSync } from 'node:child_process';

import { until, wait } from './window.mjs';

const LINE_MS = 500;
const RETURN_MS = 4000;

const xdotool = (...args) => spawnSync('xdotool', args, { encoding: 'utf8' });

/** Why specs with dialogs cannot run here, or `false`. */
export const missingTool = xdotool('version').error !== undefined && 'xdotool is not installed';

const visible = (title) => xdotool('search', '--onlyvisible', '--name', `^${title}`).stdout;

/** Waits for the dialog of that title, and gives it the keys. */
async function met(title) {
  const id = await until('the system’s dialog', () => visible(title).trim().split('\n').at(-1));
  xdotool('windowfocus', '--sync', id);
  return id;
}

const gone = (title, id, ms) => until('the dialog to close', () => !visible(title).includes(id), ms);

/** Closes the dialog without a choice. */
export async function cancelDialog(title) {
  const id = await met(title);
  xdotool('key', 'Escape');
  await gone(title, id);
}

/** Chooses a path in the dialog, one of a new file or of one that is there. */
export async function choose(title, path) {
  const id = await met(title);
  // Where no name is asked for, this opens the line for one, which takes a moment: what is typed meanwhile is lost.
  xdotool('key', 'ctrl+l');
  await wait(LINE_MS);
  // In the place of a name that was proposed.
  xdotool('key', 'ctrl+a');
  xdotool('type', '--delay', '5', path);
  // The first one may go to the list of names that begin so; one too many would go to what stands behind the dialog.
  for (let tries = 1; ; tries++) {
    xdotool('key', 'Return');
    try {
      return await gone(title, id, RETURN_MS);
    } catch (error) {
      if (tries === 3) throw error;
    }
  }
}
