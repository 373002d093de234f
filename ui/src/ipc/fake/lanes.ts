/** The invented core's lanes: a little past research and two documents, compared by shared words. */
import type { DocumentHit, Lanes, LaneTexts } from '../bindings';
import { words } from './rank';

const RESEARCH = [
  {
    key: '41d2c6b0a9e87f53',
    query: 'unpack error in the payment gateway',
    findings:
      'The unpack error came from a frame that was read before its length had arrived. Reading the length first, then the frame, removed it in three services.',
  },
  {
    key: '9f02b7c4d1e63a88',
    query: 'payment gateway unpack error retries',
    findings: 'Retry once with a fresh connection; a second failure is a real one.',
  },
];

const DOCUMENTS = [
  {
    id: 'c7',
    document: 'runbooks/gateway.md',
    title: 'Gateway runbook',
    text: 'When the payment gateway reports an unpack error, drain the queue before restarting it.',
  },
  {
    id: 'c9',
    document: 'notes/glossary.md',
    title: '',
    text: 'Gateway: the service that talks to the payment provider.',
  },
];

const telling = (text: string) => new Set(words(text).filter((word) => word.length > 3));

function jaccard(a: Set<string>, b: Set<string>): number {
  const common = [...a].filter((word) => b.has(word)).length;
  const all = a.size + b.size - common;
  return all === 0 ? 0 : common / all;
}

const tokens = (text: string) => Math.ceil(text.length / 4);

/** What stands beside the memories for a query, and the texts that belong to it. */
export function lanesOf(text: string): { lanes: Lanes; texts: LaneTexts } {
  const asked = telling(text);
  const related = RESEARCH.map((entry) => ({
    entry,
    similarity: jaccard(asked, telling(entry.query)),
  }))
    .filter(({ similarity }) => similarity > 0)
    .sort((a, b) => b.similarity - a.similarity);
  const similar = related.filter(({ similarity }) => similarity >= 0.5);
  const found = DOCUMENTS.map((chunk) => ({
    chunk,
    shared: [...telling(chunk.text)].filter((word) => asked.has(word)).length,
  }))
    .filter(({ shared }) => shared > 0)
    .sort((a, b) => b.shared - a.shared);
  const naive = similar.reduce((sum, { entry }) => sum + 3 * tokens(entry.findings), 0);
  const hits: DocumentHit[] = found.map(({ chunk, shared }, index) => ({
    id: chunk.id,
    document: chunk.document,
    chunk: index,
    chunks: 3,
    rank: index + 1,
    score: 1 / (61 + index),
    knn_rank: null,
    cosine: null,
    bm25_rank: index + 1,
    bm25: shared,
    tokens: tokens(chunk.text),
  }));
  return {
    lanes: {
      memory_lookup: {
        status: 'ok',
        reason: null,
        elapsed_ms: 0.2,
        keywords: [...asked].sort(),
        entries: RESEARCH.length,
        matched: similar.length,
        hits: similar.map(({ entry, similarity }, index) => ({
          key: entry.key,
          rank: index + 1,
          similarity,
          injected: index < 2,
          tokens: tokens(entry.findings),
          naive_tokens: 3 * tokens(entry.findings),
        })),
        near_misses: related
          .slice(similar.length)
          .map(({ entry, similarity }) => ({ key: entry.key, similarity })),
        tokens: similar.reduce((sum, { entry }) => sum + tokens(entry.findings), 0),
        naive_tokens: naive,
      },
      documents: {
        status: 'ok',
        reason: null,
        elapsed_ms: 0.4,
        documents: DOCUMENTS.length,
        knn: { status: 'skipped', reason: 'no embedding model is loaded', found: 0 },
        bm25: { status: 'ok', reason: null, found: hits.length },
        hits,
        near_misses: [],
        tokens: hits.reduce((sum, hit) => sum + hit.tokens, 0),
      },
    },
    texts: {
      research: Object.fromEntries(
        related.map(({ entry }) => [
          entry.key,
          {
            ...entry,
            cut: false,
            sources: [{ url: 'https://example.invalid/frames', title: 'Frames', credibility: 0.9 }],
            tokens: 3 * tokens(entry.findings),
            saved_at: '2026-05-01T09:00:00.000Z',
          },
        ]),
      ),
      chunks: Object.fromEntries(
        found.map(({ chunk }) => [
          chunk.id,
          {
            id: chunk.id,
            document: chunk.document,
            title: chunk.title,
            snippet: chunk.text,
            highlights: [],
            text: null,
          },
        ]),
      ),
    },
  };
}
