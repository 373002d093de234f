/** Watched folders and files. */
import { counted } from './common';
import { listed } from './format';

/** Kinds of memories, one and many. */
const KINDS: Record<string, [string, string]> = {
  text: ['message', 'messages'],
  thinking: ['thought', 'thoughts'],
  tool_call: ['tool call', 'tool calls'],
  tool_result: ['tool result', 'tool results'],
  summary: ['summary', 'summaries'],
  fact: ['fact', 'facts'],
  event: ['event', 'events'],
};

export const sources = {
  title: 'Sources',
  lead: 'Logs that become memories, documents, and past research. Files are read, never changed.',
  found: 'Found on this machine',
  foundNone: 'No agent’s folder was found. Type the path of any folder or file with logs.',
  watch: 'Watch …',
  watched: 'watched',
  addTitle: 'Another folder or file',
  path: 'Path',
  pathPlaceholder: '/path/to/logs',
  browse: 'Browse …',
  browseTitle: 'Choose a folder with logs',
  look: 'Look inside',
  looking: 'Looking …',
  dryTitle: (path: string) => `What is in ${path}`,
  dryLead: 'Nothing has been stored yet.',
  dryFacts: {
    files: 'Files',
    size: 'Size',
    records: 'Records',
    stored: 'Would be stored',
  },
  projects: {
    title: (n: number) => (n === 1 ? 'One project' : `${n} projects`),
    all: 'All of them',
    none: 'None of them',
    unnamed: 'No project',
    sessions: (n: number) => counted(n, 'session', 'sessions'),
    kind: (kind: string, n: number) => {
      const [one, many] = KINDS[kind] ?? [kind, kind];
      return counted(n, one, many);
    },
    leftOut: (projects: string[]) => `without ${listed(projects)}`,
  },
  formats: 'Formats',
  mappings: 'Keys taken for',
  skipped: 'Left out',
  leftAlone: 'Files left alone',
  notes: 'Also',
  firstErrors: 'Lines that can’t be read',
  subagents: 'Sub-agents’ transcripts too',
  subagentsHint: 'They repeat much of what the main agent says, so they are left out by default.',
  start: (n: string) => `Store ${n} memories and watch`,
  startAnyway: 'Watch it',
  nothing:
    'There is nothing here that could be stored yet. Watch it anyway and new lines will come in.',
  started: (path: string) => `Watching ${path}.`,
  watchedTitle: 'Watched',
  emptyTitle: 'Nothing is watched yet',
  emptyBody: 'Choose a folder. You see what is in it before the first byte is stored.',
  states: {
    watching: 'watching',
    polling: 'looking every few seconds',
    backfilling: 'reading what is there',
    paused: 'paused',
    missing: 'not there',
  } as Record<string, string>,
  files: (n: number) => counted(n, 'file', 'files'),
  records: (n: number) => counted(n, 'record', 'records'),
  stored: (n: number) => `${counted(n, 'memory', 'memories')} stored`,
  errors: (n: number) => counted(n, 'unreadable line', 'unreadable lines'),
  lastSeen: (when: string) => `last line ${when}`,
  neverSeen: 'no line yet',
  progress: (done: number, total: number) => `${done} of ${counted(total, 'file', 'files')}`,
  reading: 'Reading what is there',
  embedding: 'Vectors for searching by meaning',
  embedded: (done: string, total: string, left: string | null) =>
    `${done} of ${total}${left === null ? '' : `, about ${left} left`}`,
  withSubagents: 'with sub-agents',
  unwatch: 'Stop watching',
  unwatched: (path: string) => `No longer watching ${path}. What was stored stays.`,
  errorsTitle: 'Lines that could not be read',
  errorsLead: 'They stay in the log untouched; everything around them was stored.',
  where: 'File and line',
  why: 'Why',
  wholeFile: 'whole file',
};
