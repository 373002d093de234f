/** What is said about a missed memory and about the constants. */
import { type DraftView, TABLE } from '../../../ipc/bindings';
import { listed, ordinal } from '../format';

/** What the table of constants says of each, by name. */
const said = (what: 'label' | 'help' | 'formula'): Record<string, string> =>
  Object.fromEntries(TABLE.map((row) => [row.name, row[what]]));

const pushes = (ids: readonly string[]) =>
  ids.length === 0 ? 'pushes nothing out' : `pushes ${listed(ids)} out`;

export const verdictWords = {
  verdict: {
    pick: 'Which memory did you expect?',
    pickHelp:
      'Search your vault for the memory that should have come up. You see where it was lost, by how much, and the smallest change that brings it back.',
    search: 'Expected memory: text or id',
    searching: 'Searching',
    none: 'No memory contains that.',
    matches: 'Memories that contain this',
    close: 'Found, and not among the results',
    clear: 'Forget the expected memory',
    asking: 'Following the memory through the stages',
    gates: 'Gates',
    moreGates: (n: number) =>
      n === 1
        ? 'One more gate let it pass or was not reached'
        : `${n} more gates let it pass or were not reached`,
    fewerGates: 'Only the gates that say something',
    marks: { ok: '✓', missed: '!', lost: '✕', not_reached: '–', failed: '⚡' },
    says: {
      ok: 'passed',
      missed: 'missed here, another leg may have it',
      lost: 'lost here',
      not_reached: 'not reached',
      failed: 'the stage failed',
    },
    names: {
      stored: 'stored',
      trash: 'trash',
      expired: 'expired',
      scope: 'scope',
      embedded: 'embedded',
      knn: 'knn',
      bm25: 'bm25',
      sparse: 'sparse',
      fusion: 'fusion',
      decay: 'decay',
      rerank: 'rerank',
      select: 'final',
      duplicate: 'duplicate',
      budget: 'budget',
    } as Record<string, string>,
    shortBy: (value: string) => `short by ${value}`,
    fixes: (n: number) => `Smallest change that brings it into the top ${n}`,
    otherwise: (n: number) => `No constant alone brings it into the top ${n}; this does`,
    others: 'Other constants that would, each alone',
    tried: 'Tried',
    keeps: 'What keeps it among the results',
    works: 'Every constant alone: no value brings it back.',
    impossible: 'impossible alone',
    noEffect: 'cannot keep it alone',
    now: (value: string) => `now ${value}`,
    already: 'works as it is',
    collateral: (gained: number, lost: number) => `+${gained} gained  ${lost} lost`,
    collateralHelp: (ndcg: string | null) =>
      `Golden queries that gain and lose by this change${ndcg === null ? '' : `; mean nDCG@10 ${ndcg}`}`,
    try: 'Try',
    together: ' and ',
    tryBoth: 'Try both',
    tryBothNamed: (both: string) => `Try ${both}`,
    tryNamed: (constant: string, value: string) => `Try ${constant} ${value}`,
    was: (value: string) => `was ${value}`,
    undo: 'Undo',
    applied: 'the change of the verdict',
    undoNamed: (constant: string) => `Undo the change of ${constant}`,
    and: ' or ',
  },

  lost: {
    at: (gate: string, words: string) => `${gate}: ${words}`,
    place: (place: string, kept: string) => `${place}, ${kept}`,
    beyond: (place: string) => `beyond the ${place}`,
    kept: (n: number) => `${n} are kept`,
    read: (n: number) => `${n} are read`,
    returned: (n: number) => `${n} are returned`,
    unknown: 'no gate says why',
    card: (place: string) => `the expected one is ${place}`,
  },

  expectation: {
    label: 'The expected memory',
    expected: 'expected',
    forget: (words: string) => `No longer expect “${words}”`,
    lost: (words: string) => `lost at ${words}`,
    there: (rank: number, of: number) => `${ordinal(rank)} of ${of} results`,
    why: 'Show why',
  },

  sliders: {
    label: 'Constants',
    reset: 'Reset',
    resetTo: (name: string) => `Reset to ${name}`,
    save: 'Save as preset',
    more: 'More constants',
    fewer: 'Fewer constants',
    moreWork: (n: number) =>
      n === 1 ? '1 hidden one would bring it back too' : `${n} hidden ones would bring it back too`,
    changed: 'Changed constants',
    back: (name: string, value: string) => `${name} back to ${value}`,
    find: 'Find a constant',
    found: (n: number) =>
      n === 0
        ? 'No constant is about that.'
        : `${n} ${n === 1 ? 'constant fits' : 'constants fit'}`,
    about: (name: string) => `What ${name} does`,
    works: (range: string) => `${range} works`,
    worksNow: 'works as it is',
    any: 'any value',
    never: 'no value alone works',
    names: said('label'),
    help: said('help'),
    formulas: said('formula'),
    on: 'on',
    off: 'off',
  },

  edits: {
    title: 'Other ways to it, each tried',
    trying: 'Trying other questions …',
    none: (tried: number) => `None of ${tried} changes of the question or the memory brings it in.`,
    tried: (tried: number) => `${tried} were tried; those that do not bring it in are left out.`,
    untried: (n: number) => `${n} more were not: time was up.`,
    kinds: {
      mode: (what: string) => `in ${what} mode`,
      drop: (what: string) => `without “${what}”`,
      quote: (what: string) => `“${what}” in quotes`,
      add: (what: string) => `with “${what}”, a word of it`,
      narrow: (what: string) => `only ${what}`,
      pin: (_what: string) => 'the memory pinned (it stops ageing)',
      redate: (_what: string) => 'the memory said again today',
      tag: (what: string) => `the memory with the tag “${what}”`,
      write: (what: string) => `“${what}” added to its text`,
      question: (_what: string) => 'the question added to its text',
    },
    rank: (rank: number) => `→ ${ordinal(rank)}`,
    ask: 'Ask',
    asked: (query: string) => `Asked instead: ${query}`,
    askName: (words: string, rank: number) => `Ask ${words}: it comes ${ordinal(rank)}`,
    draft: 'Draft',
    draftName: (words: string, rank: number) =>
      `Open the editor with ${words}: it comes ${ordinal(rank)}`,
    pushes,
    /** What a change of the text costs: results of this query, and judged ones. */
    costs: (draft: DraftView) =>
      [
        pushes(draft.displaced),
        draft.judged === 0
          ? ''
          : `${draft.judged} judged: ${draft.gained} gain, ${draft.lost} lose`,
      ]
        .filter(Boolean)
        .join('; '),
    pin: 'Pin',
    pinName: (rank: number) => `Pin the memory: it comes ${ordinal(rank)}`,
  },
};
