/** What Tuning says. */
export const tuningWords = {
  tuning: {
    title: 'Tuning',
    presets: 'Presets',
    presetsTable: 'Constants of every preset',
    presetsHelp: 'A preset is a named set of constants. The marked values differ from Standard.',
    constant: 'constant',
    use: 'Use',
    used: 'in use',
    all: (n: number) => `All ${n} constants`,
    fewer: 'Only what tells them apart',
    remove: 'Delete',
    removed: (name: string) => `Preset ${name} deleted`,
    compare: 'Two presets on the current query',
    compareHelp: 'Both rank the same candidates, so every difference comes from the constants.',
    left: 'A',
    right: 'B',
    noQuery:
      'Ask a query in the X-ray first: the comparison ranks its candidates under both presets.',
    goAsk: 'Open the X-ray',
    same: 'Both presets return the same memories in the same order.',
    summary: (p: number, d: number, n: number, x: number) =>
      `From A to B: ${p} promoted, ${d} demoted, ${n} new, ${x} dropped`,
    promoted: 'promoted',
    demoted: 'demoted',
    fresh: 'new',
    dropped: 'dropped',
    kept: 'same place',
    change: 'change',
    ranking: 'Ranking both',
    standardOnly: 'Save your own sets of constants with “Save as preset” under the X-ray.',
  },

  wrong: {
    title: 'What goes wrong?',
    help: 'Each answer leads to a preset or a constant, tried on the current query before anything changes.',
    what: {
      old: 'an old memory wins',
      tools: 'tool output wins',
      exact: 'the exact name isn’t found',
      meaning: 'too little by meaning',
      unknown: 'I don’t know',
    },
    why: {
      old: 'Age should count more: a shorter half-life, and a lower floor for what is old.',
      tools:
        'What tools wrote may age faster than what was said, and long outputs may count less by keywords.',
      exact: 'The vote of words should count more than the vote of meaning.',
      meaning: 'The vote of meaning should count more.',
      unknown: 'The recommended preset is the place to begin.',
    },
    use: 'Use this',
    used: 'In use',
    applied: 'The constants of the X-ray were changed.',
    noQuery: 'There is no question in the X-ray yet, so before and after cannot be shown.',
    heads: ['before', 'after'] as const,
    same: 'It makes no difference to the current query.',
    summary: (p: number, d: number, n: number, x: number) =>
      `Before and after: ${p} promoted, ${d} demoted, ${n} new, ${x} dropped`,
  },

  unlock: {
    title: 'Sweeps and headroom',
    help: 'Headroom shows itself once queries are judged, and so does what is best for your vault.',
    line: 'Judge 5 queries to unlock sweeps: ask one, and press 3 on the result that answers it. With fewer they run, but cannot tell.',
    past: 'Past queries to judge',
    asked: (n: number) => `asked ${n} times`,
  },
};
