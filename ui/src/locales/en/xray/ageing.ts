/** What is said about ageing by kind. */
export const ageingWords = {
  ageing: {
    open: 'Ageing by kind',
    title: 'How memories age',
    help: (halfLife: string) =>
      `Everything ages by the half-life of ${halfLife} unless its kind says otherwise. Pinned memories and those without a known time never age.`,
    of: (kind: string) => `How ${kind} ages`,
    all: 'as all',
    own: 'half-life',
    evergreen: 'evergreen',
    days: (kind: string) => `Half-life of ${kind} in days`,
    range: '0.1 to 3650 days',
    first: 30,
    done: 'Done',
    none: 'all alike',
    /** Why age does not lower a score, under the bar of decay. */
    undecayed: {
      pinned: 'pinned: does not age',
      kind: 'its kind is evergreen',
      unknown: 'time unknown: counts as new',
      future: 'its time lies ahead: counts as new',
      listed: 'listed in order of time',
    },
  },
};
