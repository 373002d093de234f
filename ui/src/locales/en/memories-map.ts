/** What is said about the map of the memories. */
import { counted } from './common';

const memories = (n: number) => counted(n, 'memory', 'memories');

export const mapText = {
  label: 'Map of the memories',
  list: 'list',
  map: 'map',
  table: 'table',
  shownAs: 'Shown as',
  loading: 'Flattening the vectors …',
  emptyTitle: 'Nothing to draw yet',
  empty: 'No memory has its vector yet; the map grows as they are embedded.',
  noModel: 'The map is made of vectors, and the embedding model is missing.',
  title: (n: number, shown: number) =>
    `${memories(n)} by meaning: two directions hold ${Math.round(shown * 100)} % of how they differ`,
  misleads: (dimension: number) =>
    `Nearness here misleads: ${dimension} dimensions are pressed into two. Only a cosine says how near two texts are.`,
  layout: 'Laid out by',
  layouts: { flat: 'principal components', laid: 'neighbours' },
  laying: 'Laying neighbours out',
  stop: 'Stop',
  lay: 'Lay neighbours out',
  laidTitle: (n: number, kept: number) =>
    `${memories(n)} by their neighbours: ${Math.round(kept * 100)} % of the ten nearest stay beside each other`,
  laidMeans: (kept: number, flat: number) =>
    `Who stands beside whom means something here: of a memory’s ten nearest by cosine, ${Math.round(kept * 100)} % are among its ten nearest on this map (principal components: ${Math.round(flat * 100)} %). How far groups lie apart, their size and their density mean nothing.`,
  laidOf: (laid: number, all: number) =>
    laid < all
      ? `${laid.toLocaleString('en-US')} of ${memories(all)} were laid out, evenly chosen; the others stand beside their nearest neighbours among those.`
      : '',
  truly: (cosine: number, nearer: number) =>
    nearer === 0
      ? `The expected memory is truly the nearest to the query (cosine ${cosine.toFixed(3)}).`
      : `Truly, ${memories(nearer)} ${nearer === 1 ? 'is' : 'are'} nearer to the query than the expected one (cosine ${cosine.toFixed(3)}).`,
  without: (n: number) => `${memories(n)} without a vector ${n === 1 ? 'is' : 'are'} not on it.`,
  keys: 'Arrows move, + and − zoom, 0 shows all, Enter opens the memory in the middle; the table holds the same.',
  colourBy: 'Coloured by',
  by: { agent: 'agent', kind: 'kind', age: 'age', outcome: 'outcome' },
  ages: ['under a week', 'under a month', 'under 3 months', 'under a year', 'older', 'unknown'],
  outcomes: {
    result: 'result',
    rerank: 'read, not returned',
    fusion: 'below the rerank window',
    leg: 'found by a leg, cut off',
  } as Record<string, string>,
  notFound: 'not found',
  others: (n: number) => `${n} others`,
  legend: 'Groups; press to single one out',
  tool: 'Dragging',
  move: 'moves',
  lasso: 'picks (lasso)',
  unpick: (n: number) => `Show all again (${n} picked)`,
  picked: (n: number) => `${memories(n)} on the map`,
  query: 'query',
  expected: 'expected',
  cosine: (value: number) => `cosine ${value.toFixed(3)}`,
  memory: 'memory',
  group: 'group',
  kind: 'kind',
  age: 'age',
  trueCosine: 'true cosine with the query',
  tableByCosine: (n: number) => `The ${n} nearest to the query by their true cosine`,
  tableByAge: (n: number) => `The ${n} newest on the map`,
};
