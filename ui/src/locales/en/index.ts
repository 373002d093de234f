/**
 * Everything the window says. One object per part; sentences with values are functions, so that
 * another language can order and decline them as it must.
 */
import { app } from './app';
import { common } from './common';

export const text = { common, app };
