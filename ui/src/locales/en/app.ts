/** The frame around the sections. */
import { counted } from './common';

export const app = {
  sections: {
    xray: 'X-ray',
    memories: 'Memories',
    tuning: 'Tuning',
    sources: 'Sources',
    vault: 'Vault',
    settings: 'Settings',
  },
  navigation: 'Sections',
  demo: 'demo memory',
  watching: (n: number) =>
    n === 0 ? 'watching nothing yet' : `watching ${counted(n, 'source', 'sources')}`,
  newSince: (n: number, time: string) => `${n} new since ${time}`,
  locksIn: (time: string) => `locks in ${time}`,
  neverLocks: 'doesn’t lock by itself',
  embedding: (done: string, total: string) => `${done} of ${total} embedded`,
  modelLoading: 'loading the model',
  modelMissing: (done: string, total: string) =>
    `${done} of ${total} embedded: model missing. Search works by keywords only.`,
  modelFailed: (done: string, total: string) =>
    `${done} of ${total} embedded: the model could not be loaded. Search works by keywords only.`,
  retryModel: 'Try again',
  unreachable: 'The program behind this window doesn’t answer.',
  atWork: 'The vault’s files are being exchanged. It opens again by itself.',
  palette: {
    title: 'Commands',
    open: 'Commands',
    placeholder: 'Go to, find, do …',
    goTo: (section: string) => `Go to ${section}`,
    find: (query: string) => `Find memories that contain “${query}”`,
    ask: (query: string) => `Ask the X-ray: ${query}`,
    lock: 'Lock now',
    undo: (what: string) => `Undo: ${what}`,
    history: 'Past queries',
    constants: 'All constants of the X-ray',
    watch: 'Watch a folder',
    light: 'Light theme',
    dark: 'Dark theme',
    system: 'Theme of the system',
    none: 'Nothing fits.',
  },
  keyMap: 'Keys',
  undone: (what: string) => `Taken back: ${what}`,
  nothingToUndo: 'There is nothing to undo.',
};
