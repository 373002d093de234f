/** Every sentence of the X-ray and of Tuning. */
import { count } from './format';
import { ageingWords } from './xray/ageing';
import { memories } from './xray/counts';
import { flowWords } from './xray/flow';
import { headroomWords } from './xray/headroom';
import { historyWords } from './xray/history';
import { labWords } from './xray/lab';
import { lanesWords } from './xray/lanes';
import { memoryWords } from './xray/memory';
import { stagesWords } from './xray/stages';
import { sweepsWords } from './xray/sweeps';
import { tuningWords } from './xray/tuning';
import { verdictWords } from './xray/verdict';

export const xray = {
  title: 'X-ray',

  query: {
    label: 'Query',
    placeholder: 'Ask what your agent should remember',
    mode: 'mode',
    agent: 'agent',
    anyAgent: 'any',
    asOf: 'as of',
    now: 'now',
    preset: 'preset',
    edited: 'edited',
    time: 'Time of the whole query',
    levelHelp: 'Not every stage could run as it should; the cards say why.',
    searching: 'searching',
    reading: (n: number) => `reading ${n}`,
    readingHelp: (n: number) => `The reranker has ${memories(n)} of the window still to read`,
    modes: {
      hybrid: ['hybrid', 'Meaning and words together'],
      lexical: ['lexical', 'Words alone (BM25)'],
      semantic: ['semantic', 'Meaning alone (KNN)'],
      auto: ['auto', 'Words first for exact and CJK queries, meaning first otherwise'],
    } as Record<string, [string, string]>,
    agentsNone: 'No agent has stored anything yet.',
    clock: 'Rank as if it were',
    clockHelp: 'Ages, and with them decay, are counted back from this moment.',
    present: 'The present',
    savePreset: 'Save as a preset…',
    presetName: 'Name of the preset',
    save: 'Save',
    cancel: 'Cancel',
    entering: (n: number) => `${count(n)} new ${n === 1 ? 'result' : 'results'}`,
    enteringHelp: 'Came in since the answer; press to ask again',
    density: 'Density',
    overview: 'Overview',
    debug: 'Debug',
  },

  part: (done: string, total: string, left: string | null) =>
    `Meaning sees ${done} of ${total} memories so far; words see all of them.${left === null ? '' : ` About ${left} left.`}`,

  empty: {
    title: 'Ask the memory, and see every stage answer',
    body: 'Type what your agent should know. Eight stages show what they found, what they cut, and why.',
    guide: 'Queries to try on the demo memory',
    planted: 'a planted miss',
    first: 'Ask your first question',
    reading: 'Your logs are being read',
    readingBody:
      'What is read can be found by its words at once; by its meaning as soon as it has a vector. The first question is asked when everything is read.',
    read: (n: number) => `${count(n)} memories were read`,
    readNothing:
      'Nothing in these logs could be stored. Sources says what was left out, and why; another folder can be chosen there.',
    readSoFar: (done: number, total: number, stored: number) =>
      `${count(done)} of ${count(total)} files, ${count(stored)} memories`,
    toSources: 'Go to Sources',
    asks: {
      decided: (about: string) => `what was decided about ${about}`,
      wrong: (about: string) => `what went wrong with ${about}`,
      asked: (about: string) => `what did the user ask for: ${about}`,
    },
    own: 'Your vault holds no memory yet. Watch a folder in Sources and its log lines become searchable within a second.',
    expecting: 'Expected memory:',
    expectingHelp: 'Ask the query that should have found it; then you see where it was lost.',
    keys: 'Press / to type, Alt H for past queries, Alt 1–8 to open a stage, Alt C for all constants, ↓ to reach the results, ? for all keys, Esc to go back.',
  },

  noResult: {
    title: 'No memory came through',
    body: 'What each stage says:',
    hint: 'Expected one? Search for it and see where it was lost.',
    find: 'Which one did you expect?',
  },

  failure: {
    title: 'The query could not be answered',
    retry: 'Try again',
    modelMissing: 'Words alone answer: the embedding model is missing.',
    modelFailed: 'Words alone answer: the embedding model could not be loaded.',
    modelLoading: 'The embedding model is being loaded; until then words alone answer.',
    retryModel: 'Retry',
    levels: {
      no_rerank: 'Without the reranker',
      keyword_only: 'Words alone',
      semantic_only: 'Meaning alone',
      substring: 'Plain matching of the text',
      empty: 'Nothing could answer',
    } as Record<string, string>,
  },

  ...ageingWords,
  ...stagesWords,
  ...flowWords,
  ...memoryWords,
  ...verdictWords,
  ...tuningWords,
  ...headroomWords,
  ...labWords,
  ...sweepsWords,
  ...lanesWords,
  ...historyWords,
};

/** Where the sentence of the catalogue has no entry, the name itself is shown. */
export function named(table: Record<string, string>, key: string): string {
  return table[key] ?? key.replaceAll('_', ' ');
}
