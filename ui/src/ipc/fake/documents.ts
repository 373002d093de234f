/** Invented documents and past research. */
import type { EdgeFailure } from '../backend';
import type {
  DocumentFileRequest,
  DocumentRequest,
  DocumentSearchView,
  DocumentView,
  ErrorCode,
  ResearchView,
  StoredDocumentView,
} from '../bindings';

interface Held {
  view: DocumentView;
  content: string;
}

const RUNBOOK =
  'Deploying the payment gateway: run the migrations first, then roll the pods one by one.\n\n' +
  'When unpack errors show up, the client was built against the old response shape.';

export function documents(
  now: number,
  failure: (code: ErrorCode, args?: Record<string, string>) => EdgeFailure,
) {
  const held = new Map<string, Held>();
  const put = (id: string, title: string, content: string): StoredDocumentView => {
    const before = held.get(id);
    const masked = content.replace(/ghp_\w{36}/g, '[secret:github-token]');
    const view: DocumentView = {
      id,
      title,
      characters: masked.length,
      chunks: Math.ceil(masked.length / 900),
      ingested_at: new Date(now).toISOString(),
    };
    const outcome =
      before === undefined ? 'stored' : before.content === masked ? 'unchanged' : 'replaced';
    held.set(id, { view, content: masked });
    return { outcome, secrets_masked: masked !== content, document: view };
  };
  put('runbook', 'Payment gateway runbook', RUNBOOK);
  const list = () =>
    [...held.values()].map((one) => one.view).sort((a, b) => a.id.localeCompare(b.id));
  let research: ResearchView[] = [
    {
      key: '12a7b8e8cc38f399',
      query: 'rust async runtimes',
      findings: 'Two are in wide use; the gateway client depends on one of them.',
      cut: false,
      sources: [{ url: 'https://example.invalid/runtimes', title: 'Runtimes', credibility: 0.9 }],
      tokens: 321,
      saved_at: new Date(now - 86_400_000).toISOString(),
    },
  ];
  const get = (id: string) => {
    const found = held.get(id);
    if (!found) throw failure('not_found');
    return found;
  };
  return {
    documents: async () => list(),
    document: async (id: string) => {
      const { view, content } = get(id);
      return { document: view, content };
    },
    storeDocument: async (request: DocumentRequest) =>
      put(request.id, request.title, request.content),
    storeDocumentFile: async ({ path, id, title }: DocumentFileRequest) => {
      if (path.startsWith('/missing')) throw failure('unreadable', { path });
      return put(id || (path.split('/').at(-1) ?? path), title, `What stands in ${path}.`);
    },
    deleteDocument: async (id: string) => {
      get(id);
      held.delete(id);
      return list();
    },
    searchDocuments: async (text: string): Promise<DocumentSearchView> => {
      const word = text.trim().toLowerCase();
      const found = [...held.values()].filter((one) => one.content.toLowerCase().includes(word));
      return {
        lookup: {
          status: 'ok',
          reason: null,
          elapsed_ms: 1,
          documents: held.size,
          knn: { status: 'skipped', reason: null, found: 0 },
          bm25: { status: 'ok', reason: null, found: found.length },
          tokens: 40 * found.length,
          hits: found.map(({ view }, at) => ({
            id: `c${at + 1}`,
            document: view.id,
            chunk: 0,
            chunks: view.chunks,
            rank: at + 1,
            score: 1 / (61 + at),
            knn_rank: null,
            cosine: null,
            bm25_rank: at + 1,
            bm25: 3 - at,
            tokens: 40,
          })),
        },
        texts: found.map(({ view, content }, at) => ({
          id: `c${at + 1}`,
          document: view.id,
          title: view.title,
          snippet: content.slice(0, 240),
          highlights: [],
          text: content,
        })),
      };
    },
    listResearch: async () => research,
    forgetResearch: async (key: string) => {
      research = research.filter((one) => one.key !== key);
      return research;
    },
  };
}
