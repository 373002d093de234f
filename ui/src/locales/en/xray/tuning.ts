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
};
