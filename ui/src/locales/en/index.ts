/**
 * Everything the window says. One object per part; sentences with values are functions, so that
 * another language can order and decline them as it must.
 */
import { app } from './app';
import { common } from './common';
import { documents } from './documents';
import { memoriesText } from './memories';
import { onboarding } from './onboarding';
import { reranker } from './reranker';
import { sources } from './sources';
import { settings, vault } from './vault';

export const text = {
  common,
  app,
  onboarding,
  memories: memoriesText,
  sources,
  vault,
  settings,
  reranker,
  documents,
};
