/** What is said about several constants at once, and about the half that did not choose. */
const queries = (n: number) => (n === 1 ? '1 query' : `${n} queries`);

export const sweepsWords = {
  halves: {
    explain:
      'The best of many tries was also the luckiest on the queries that chose it. So one half of the golden queries chooses, and the other half, drawn by a hash of their numbers, says what is left of the gain.',
    chosenOn: (n: number) => `On the ${queries(n)} that chose it`,
    heldOn: (n: number) => `On the ${queries(n)} held out`,
    scores: (chosen: string, present: string) => `nDCG@10 ${chosen}, present ${present}`,
    none: (needed: number) =>
      `Nothing is held out yet: about ${needed} more golden ${needed === 1 ? 'query' : 'queries'}, and half of them will check the choice. Until then the gain is probably smaller than it looks.`,
    measuring: 'Measuring on the held-out queries',
    present: 'the present constants',
    chosen: 'the choice',
  },

  sweepMany: {
    title: 'Sweep several constants',
    help: 'Many combinations at once, always beside the present constants and the ablations. Everything that is not chosen below stays as it is in the X-ray.',
    judgedFirst: 'Several constants can be tried together once a query is judged.',
    constants: 'Constants that move',
    most: 'Choose one to six.',
    method: 'How',
    methods: { random: 'random draws', grid: 'grid' } as Record<string, string>,
    count: 'Combinations, at most',
    run: 'Sweep them',
    stop: 'Stop',
    resume: (left: number) => `Go on (${left} left)`,
    again: 'Other draws',
    progress: 'Combinations measured',
    names: {
      present: 'present',
      keywords_only: 'keywords only',
      vectors_only: 'vectors only',
      no_decay: 'no decay',
      no_rerank: 'no reranker',
    } as Record<string, string>,
    number: (n: number) => `try ${n}`,
    score: 'nDCG@10',
    ms: 'time per query (ms)',
    best: (what: string, of: number, score: string, present: string) =>
      `Best of ${of}: ${what}, nDCG@10 ${score}; present ${present}`,
    presentBest: (of: number, score: string) =>
      `None of ${of} is better than the present constants: nDCG@10 ${score}`,
    ablationBest: (name: string, of: number, score: string) =>
      `Best of ${of}: ${name}, nDCG@10 ${score}. A whole part of the pipeline does more harm than good here`,
    set: (pairs: string) => pairs,
    lines: 'Every combination as a line',
    brush:
      'Drag along an axis to keep only what passes there; press it to let go. By keyboard, each axis has two sliders.',
    from: (axis: string) => `${axis}, from`,
    to: (axis: string) => `${axis}, to`,
    clear: 'Let all brushes go',
    passing: (n: number, of: number) => `${n} of ${of} pass`,
    cheap: (name: string, ms: string, score: string, best: string, bestMs: string) =>
      `${name} gives ${score} in ${ms} ms; the best, ${best}, takes ${bestMs} ms`,
    cheapest: (score: string, ms: string) =>
      `Nothing faster is as good as the best: ${score} in ${ms} ms`,
    shapes:
      '◆ present, ▲ a part taken out, ● combination, dashed: nothing is both faster and better',
    walk: 'Arrow keys walk from the fastest to the slowest.',
    timed:
      'Searching and reading as measured in this session, ranking as measured now; reading for the reranker is nearly all of it.',
    strip: (up: number, down: number, same: number) =>
      `Against the present: ${queries(up)} ${up === 1 ? 'gains' : 'gain'}, ${down} ${down === 1 ? 'loses' : 'lose'}, ${same} ${same === 1 ? 'stays' : 'stay'}`,
    gains: 'gains',
    loses: 'loses',
    query: 'query',
    change: 'change of nDCG@10',
    each: 'Change query by query',
    table: 'Combinations that pass, best first',
    name: 'combination',
    interval: '95 % interval',
    select: (name: string) => `Show ${name}`,
    more: (n: number) => `${n} more pass; brush to narrow them down.`,
    use: 'Use these constants',
    used: 'The X-ray ranks with these constants now; reset them under the X-ray',
    isPresent: 'These are the present constants.',
  },
};
