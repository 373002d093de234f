/** What is said about past queries, their files, time, and what came in. */
import type { UseVerdict } from '../../../ipc/bindings';
import { count, ordinal } from '../format';
import { memories } from './counts';

const results = (n: number) => `${count(n)} ${n === 1 ? 'result' : 'results'}`;
const queries = (n: number) => `${count(n)} ${n === 1 ? 'query' : 'queries'}`;

/** Whole seconds, and minutes where seconds say nothing more. */
const span = (seconds: number) =>
  seconds < 120 ? `${count(seconds)} s` : `${count(Math.round(seconds / 60))} min`;

export const historyWords = {
  history: {
    open: 'History',
    title: 'Past queries',
    search: 'Find among past queries',
    list: 'Past queries, newest first',
    who: 'Asked by',
    whose: { anyone: 'anyone', person: 'you', agent: 'your agents' },
    channel: { cli: 'asked by a script', hook: 'asked by a hook', mcp: 'asked by an agent' },
    help: 'Enter asks again. The vault keeps the last 500, encrypted like the memories.',
    none: 'Nothing has been asked yet. Every query that you ask here, or an agent asks, is kept in the vault.',
    noMatch: 'No past query contains that.',
    loading: 'Reading…',
    more: (left: number) => `Show ${queries(left)} more`,
    asItWas: 'As it was',
    asItWasOf: (text: string) => `Show as it was: ${text}`,
    mark: 'Compare',
    markOf: (text: string) => `Compare: ${text}`,
    compare: (n: number) => (n === 1 ? 'Choose one more' : 'Side by side'),
    clear: 'Forget all',
    clearAsk: 'Forget all past queries?',
    clearBody: (n: number) =>
      `${queries(n)} with their ranked lists will be gone for good. Memories and judgements stay.`,
    cleared: (n: number) => `${queries(n)} forgotten`,
    keep: 'Keep them',
    close: 'Close',
    results,
    outcome: {
      found: (rank: number) => `found ${ordinal(rank)}`,
      missed: 'missed',
      empty: 'nothing found',
      unjudged: '',
    },
    outcomeHelp: 'By the judgements you have given for this query',
    troubled: (stages: string) => `! ${stages}`,
    filtered: 'filtered',
    rest: 'narrowed as then',
    noText: 'no longer in the vault',

    usage: {
      title: 'In the agent’s answer',
      help: 'By what stands in the texts alone: a sign, not a proof.',
      counts: (used: number, given: number) => `used ${count(used)} of ${count(given)}`,
      contradicted: (n: number) => `${count(n)} contradicted?`,
      unanswered: 'no answer seen yet',
      verdict: {
        used: 'used',
        ignored: 'ignored',
        contradicted: 'contradicted?',
        unclear: 'not clear',
        known: 'known before',
        unseen: 'not seen yet',
        gone: 'gone',
      } satisfies Record<UseVerdict, string>,
      why: {
        used: '',
        ignored: 'The answer shares nothing with it that is rare in the vault.',
        contradicted: '',
        unclear: 'Too little to tell: nothing in it is both rare and shared often enough.',
        known: 'The conversation held all that is rare in it before it was recalled.',
        unseen: 'No log that has been read holds an answer to this question.',
        gone: 'The memory is no longer in the vault.',
      } satisfies Record<UseVerdict, string>,
      names: (names: readonly string[]) => `The answer quotes ${names.join(', ')}`,
      words: (shared: readonly string[], rare: number, more: boolean) =>
        `${count(shared.length)} of its ${more ? 'more than ' : ''}${count(rare)} rare ${
          rare === 1 ? 'word' : 'words'
        } ${shared.length === 1 ? 'stands' : 'stand'} in the answer: ${shared.join(', ')}`,
      clash: (key: string, said: string, remembered: string) =>
        `The answer says ${key} ${said}, the memory ${key} ${remembered}`,
      later: (seconds: number) =>
        seconds < 1 ? 'At once' : `${span(seconds)} after it was recalled`,
      cosine: (value: number) =>
        `Nearness in meaning to the answer: a cosine of ${value.toFixed(2)}, which decides nothing`,
      open: 'Show that part of the answer',
    },

    banner: (at: string) => `As it was on ${at}`,
    readOnly: 'Read-only, with the clock, the constants and the lists of that time.',
    gone: (n: number) => `${memories(n)} of it ${n === 1 ? 'is' : 'are'} gone by now.`,
    replay: 'Ask again',
    replays: {
      today: ['today’s constants', 'The clock of that time: what would other constants have done?'],
      now: [
        'the clock of now',
        'The constants of that time: what has time done, and what came in?',
      ],
      both: ['today’s constants, now', 'As if asked for the first time'],
      same: ['exactly as then', 'Differences come from changed memories alone'],
    } as Record<'today' | 'now' | 'both' | 'same', [string, string]>,
    withPresent: 'Side by side with the present',
    back: 'Back to the present',
    constantsThen: 'Constants of that time',
    today: (value: string) => `today ${value}`,

    difference: {
      title: 'Side by side',
      moved: (n: number) => `${memories(n)} moved`,
      fresh: (n: number) => `${count(n)} new`,
      dropped: (n: number) => `${count(n)} gone`,
      same: (n: number) =>
        n === 0 ? 'Both found nothing' : `The same ${results(n)} in the same order`,
      status: (stage: string, a: string, b: string) => `${stage} ${a} → ${b}`,
      nothingElse: 'nothing they depend on differs',
      changedMemories: 'the vault was written to in between',
      otherFact: (name: string) => `another ${name}`,
      moreCauses: (n: number) => `${count(n)} more`,
      query: 'query',
      clock: 'clock',
      mode: 'mode',
      level: 'level',
      full: 'everything ran',
      model: 'model',
      noModel: 'none',
      searchable: 'number of memories',
      epoch: 'state of the vault',
      results: 'Results',
      memory: 'memory',
      change: 'change',
      changes: {
        promoted: 'up',
        demoted: 'down',
        fresh: 'new',
        dropped: 'gone',
        kept: 'same',
      },
      final: 'final',
      places: (a: string, b: string) => `${a} → ${b}`,
      stages: 'Stages',
      stage: 'stage',
      out: 'out',
      settings: 'What differs',
      setting: 'setting',
      noSettings: 'Constants, clock, mode, model and vault are the same.',
      swap: 'Swap sides',
      present: 'the present answer',
    },

    export: {
      open: 'Export…',
      title: 'Export this trace',
      kind: 'What is in the file',
      whole: 'Everything',
      wholeHelp:
        'Query, filter, ids, every score and its terms. No memory text: a trace holds none. For your own use.',
      redacted: 'For a bug report',
      redactedHelp:
        'Every rank, score, constant and timing; no memory text, no names of agents, sessions, tags or paths.',
      query: 'Include the query’s text',
      ids: 'Keep the memories’ ids',
      idsHelp: 'Otherwise they are called memory-1, memory-2, … in order of appearance.',
      preview: 'Exactly this will be written',
      save: 'Choose a place…',
      saveTitle: 'Where the trace is written',
      saved: (path: string) => `Written to ${path}, readable by you alone`,
      fileName: 'lethescope-trace.json',
      redactedName: 'lethescope-trace-redacted.json',
    },
  },

  time: {
    label: 'Time',
    asOf: 'as of',
    slider: 'Rank as if it were',
    reset: 'Now',
    resetName: 'Now: back to the clock the query was asked by',
    first: (span: string) => `the first in ${span}`,
    changes: (n: number, days: number) =>
      n === 0
        ? `nothing changes in the next ${days} days`
        : `${count(n)} ${n === 1 ? 'change' : 'changes'} in the next ${days} days`,
    help: 'Ages, and with them decay, are counted back from this moment. What is stored stays as it is.',
    tick: 'the results change',
    stepped: 'With MMR on, time is looked at in even steps.',
    unread: 'Some of what comes into the rerank window has not been read.',
    leaves: (top: number, when: string) => `Leaves the top ${top} ${when}`,
    enters: (top: number, when: string) => `Enters the top ${top} ${when}`,
    moves: (rank: number, when: string) => `Becomes ${ordinal(rank)} ${when}`,
    stays: (top: number, days: number) => `Stays in the top ${top} for the next ${days} days`,
    staysOut: (top: number, days: number) => `Does not enter the top ${top} within ${days} days`,
    only: 'If time alone passes',
    in: (span: string) => `in ${span}`,
    at: (moment: string) => `(${moment})`,
    short: (span: string) => `↓ ${span}`,
    shortName: (top: number, when: string) => `leaves the top ${top} ${when}`,
  },
};
