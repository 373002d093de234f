/** Sentences about what stands beside the memories: past research, and documents. */
import { count, ordinal } from '../format';

const questions = (n: number) => (n === 1 ? '1 past question' : `${count(n)} past questions`);
const chunks = (n: number) => (n === 1 ? '1 chunk' : `${count(n)} chunks`);
const documents = (n: number) => (n === 1 ? '1 document' : `${count(n)} documents`);

export const lanesWords = {
  lanes: {
    label: 'Beside the memories',
    hint: 'Past research and documents that fit the query',
    tab: 'Beside',
    research: 'Research',
    documents: 'Documents',
    failed: 'failed',
    degraded: 'degraded',
    /** The finding, then what it spares. */
    found: (matched: number, injected: number) =>
      `${questions(matched)} ${matched === 1 ? 'is' : 'are'} similar; ${
        injected === 1 ? '1 reaches' : `${injected} reach`
      } the agent`,
    spared: (tokens: number, naive: number) => `${count(tokens)} tokens, ${count(naive)} in full`,
    compared: (entries: number) => `${count(entries)} compared`,
    searched: (of: number) => `${count(of)} searched`,
    noneSimilar: (entries: number) => `None of ${questions(entries)} is similar enough`,
    best: (document: string, chunk: number, of: number) =>
      `Best: ${document}, chunk ${chunk} of ${of}`,
    noneFound: (of: number) => `Nothing in ${documents(of)} answers this`,
    hits: (n: number, tokens: number) => `${chunks(n)}, ${count(tokens)} tokens`,
    researchList: 'Similar research, best first',
    documentList: 'Chunks of documents, best first',
    similarity: (value: string) => `similarity ${value}`,
    missed: 'Just missed',
    missedResearch: 'Past questions that were not similar enough, most similar first',
    missedDocuments: 'Chunks beyond the cut or not near enough, nearest first',
    next: (rank: number) => `would be ${ordinal(rank)}`,
    cosine: (value: string) => `cosine ${value}`,
    injected: 'reaches the agent',
    reported: 'reported only',
    places: (knn: number | null, bm25: number | null) =>
      `meaning ${knn ?? '–'} · words ${bm25 ?? '–'}`,
    chunk: (chunk: number, of: number) => `chunk ${chunk} of ${of}`,
    tokens: (n: number) => `${count(n)} tokens`,
    sources: 'Sources',
    none: 'No research was saved and no document taken in.',
    how: 'lethescope research put and lethescope document ingest add to these lists.',
  },
};
