/** Names of everything the window caches. A notice invalidates by these prefixes. */
import type { ListRequest } from './bindings';

export const keys = {
  status: ['status'] as const,
  facets: ['facets'] as const,
  latencies: ['latencies'] as const,
  memories: ['memories'] as const,
  lists: ['memories', 'list'] as const,
  list: (request: Omit<ListRequest, 'offset' | 'limit'>) => ['memories', 'list', request] as const,
  /** `skipped` rows at the top are held back, so that the list doesn't move under the cursor. */
  page: (request: Omit<ListRequest, 'offset' | 'limit'>, page: number, skipped: number) =>
    ['memories', 'list', request, page, skipped] as const,
  ones: ['memories', 'one'] as const,
  memory: (id: string, recall: string | null) => ['memories', 'one', id, recall] as const,
  duplicates: (at: number | null) => ['memories', 'duplicates', at] as const,
  sessions: ['sessions'] as const,
  conversations: ['conversations'] as const,
  conversation: (id: string) => ['conversations', id] as const,
  sources: ['sources'] as const,
  sourceErrors: (id: string) => ['sources', 'errors', id] as const,
  dryRun: (path: string, subagents: boolean, leftOut: readonly string[]) =>
    ['dry-run', path, subagents, leftOut] as const,
  folders: ['folders'] as const,
  settings: ['settings'] as const,
  slots: ['slots'] as const,
  /** A slot may be this machine's keychain's. */
  keychain: ['slots', 'keychain'] as const,
  health: ['health'] as const,
  filesOnDisk: ['files-on-disk'] as const,
  storage: ['storage'] as const,
  rerankers: ['rerankers'] as const,
  documents: ['documents'] as const,
  documentList: ['documents', 'list'] as const,
  document: (id: string) => ['documents', 'one', id] as const,
  documentSearch: (query: string) => ['documents', 'search', query] as const,
  research: ['research'] as const,
  guide: ['guide'] as const,
  context: (recall: string, request: unknown) => ['context', recall, request] as const,
  ledger: (recall: string, id: string, shared: boolean) => ['ledger', recall, id, shared] as const,
  /** Everything that follows from the judgements. */
  golden: ['golden'] as const,
  goldenList: ['golden', 'list'] as const,
  grades: (recall: string) => ['golden', 'grades', recall] as const,
  compare: (a: unknown, b: unknown, now: string | null) =>
    ['golden', 'compare', a, b, now] as const,
  headroom: (constants: unknown, now: string | null) =>
    ['golden', 'headroom', constants, now] as const,
  holdOut: (present: unknown, chosen: unknown, now: string | null) =>
    ['golden', 'hold-out', present, chosen, now] as const,
  map: (recall: string | null) => ['memories', 'map', recall] as const,
  neighbours: (recall: string | null) => ['memories', 'neighbours', recall] as const,
  queryEdits: (recall: string, request: unknown) => ['why', 'edits', recall, request] as const,
  history: ['history'] as const,
  /** What agents made of what they were given, of so many past queries. */
  usages: (limit: number) => ['history', 'usages', limit] as const,
  usage: (id: string) => ['history', 'usage', id] as const,
  storedTrace: (id: string) => ['history', 'one', id] as const,
  exportedTrace: (request: unknown) => ['history', 'export', request] as const,
  forecast: (recall: string, request: unknown) => ['forecast', recall, request] as const,
  why: (recall: string, request: unknown) => ['why', recall, request] as const,
};
