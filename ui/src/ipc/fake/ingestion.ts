/** Invented watched folders; a backfill runs on timers, so that progress can be seen. */
import type { EdgeFailure } from '../backend';
import type {
  ErrorCode,
  FolderOffer,
  IngestErrorView,
  IngestReport,
  IngestRequest,
  Notice,
  ProjectReport,
  SourceView,
} from '../bindings';

const OFFERS: Omit<FolderOffer, 'watched'>[] = [
  {
    agent: 'Claude Code',
    path: '/home/ada/.claude/projects',
    files: 23,
    bytes: '18874368',
    first: '2026-01-07T08:00:00Z',
    last: '2026-05-17T16:40:00Z',
  },
  {
    agent: 'Codex',
    path: '/home/ada/.codex/sessions',
    files: 6,
    bytes: '2100000',
    first: '2026-04-02T08:00:00Z',
    last: '2026-05-02T10:00:00Z',
  },
  { agent: 'Hermes', path: '/home/ada/.hermes/log', files: 0, bytes: '0', first: null, last: null },
];

/** What the invented folder holds, by project; more of it with the sub-agents. */
const PROJECTS: ProjectReport[] = [
  {
    project: '/home/ada/shop',
    sessions: 14,
    first: '2026-01-07T08:00:00Z',
    last: '2026-05-17T16:40:00Z',
    kinds: { text: 900, tool_call: 600, tool_result: 600 },
  },
  {
    project: '/home/ada/garden',
    sessions: 5,
    first: '2026-03-01T08:00:00Z',
    last: '2026-03-04T11:00:00Z',
    kinds: { text: 500, thinking: 300 },
  },
  { project: '', sessions: 0, first: null, last: null, kinds: { fact: 204 } },
];
const memoriesOf = ({ kinds }: ProjectReport) =>
  Object.values(kinds).reduce((sum, count) => sum + count, 0);

function source(id: string, path: string, subagents: boolean, seen: string): SourceView {
  return {
    id,
    path,
    formats: ['claude-code'],
    state: 'watching',
    state_reason: null,
    subagents,
    left_out: [],
    files: 14,
    records: 1904,
    stored: 1288,
    skipped: { 'sub-agent': 212, empty: 118, duplicate: 286 },
    errors: 2,
    last_seen_at: seen,
  };
}

/** The invented intake. */
export function ingestion(
  notify: (notice: Notice) => void,
  watching: boolean,
  now: number,
  failure: (code: ErrorCode, args?: Record<string, string>) => EdgeFailure,
) {
  const seen = new Date(now - 260_000).toISOString();
  let held: SourceView[] = watching
    ? [
        source('1', '/home/ada/.claude/projects', false, seen),
        {
          ...source('2', '/home/ada/.codex/sessions', false, seen),
          formats: ['codex'],
          state: 'polling',
          state_reason: 'The file system sends no events; looked at every 2 s.',
          errors: 0,
          files: 6,
          records: 410,
          stored: 388,
          skipped: { empty: 22 },
        },
      ]
    : [];

  const readable = (request: IngestRequest) => {
    const bad = request.paths?.find((path) => !path.startsWith('/') || path.includes('missing'));
    if (bad !== undefined || !request.paths?.length)
      throw failure('unreadable', { path: bad ?? '' });
  };

  return {
    sources: () => [...held],
    discover: (): FolderOffer[] =>
      OFFERS.map((offer) => ({ ...offer, watched: held.some((one) => one.path === offer.path) })),
    errors: (id: string): IngestErrorView[] =>
      held.find((one) => one.id === id)?.errors
        ? [
            {
              path: '/home/ada/.claude/projects/shop/7f3a.jsonl',
              line: 812,
              reason: 'not valid JSON: the line ends in the middle of a string',
            },
            {
              path: '/home/ada/.claude/projects/shop/7f41.jsonl',
              line: 3,
              reason: 'no text in the record',
            },
          ]
        : [],
    dryRun(request: IngestRequest): IngestReport {
      readable(request);
      const without = PROJECTS.filter(({ project }) => request.left_out?.includes(project));
      const gone = without.reduce((sum, project) => sum + memoriesOf(project), 0);
      return {
        projects: PROJECTS,
        files: 23,
        bytes: '18874368',
        records: 5210,
        stored: (request.subagents ? 3920 : 3104) - gone,
        skipped: {
          ...(request.subagents ? {} : { 'sub-agent': 816 }),
          ...(gone > 0 ? { 'project left out': gone } : {}),
          empty: 390,
          duplicate: 900,
        },
        formats: { 'claude-code': 19, markdown: 3, jsonl: 1 },
        mappings: { jsonl: 'text ← message, role ← who, created_at ← ts' },
        errors: [
          { path: `${request.paths?.[0]}/old/notes.jsonl`, line: 40, reason: 'not valid JSON' },
        ],
        error_count: 1,
        left_alone: { 'not a kind of file that is read': 12 },
        notes: { 'secret masked': 2 },
        cancelled: false,
      };
    },
    watch(request: IngestRequest): SourceView {
      readable(request);
      const path = request.paths?.[0] ?? '';
      const id = String(Math.max(0, ...held.map((one) => Number(one.id))) + 1);
      const fresh: SourceView = {
        ...source(id, path, request.subagents ?? false, seen),
        left_out: request.left_out ?? [],
        state: 'backfilling',
        files: 0,
        records: 0,
        stored: 0,
        errors: 0,
        skipped: {},
      };
      held = [...held, fresh];
      notify({ type: 'sources' });
      let done = 0;
      const step = () => {
        done += 1;
        const finished = done >= 23;
        held = held.map((one) =>
          one.id === id
            ? {
                ...one,
                files: done,
                records: done * 226,
                stored: done * 135,
                state: finished ? 'watching' : 'backfilling',
              }
            : one,
        );
        notify({
          type: 'progress',
          source: id,
          files_done: done,
          files_total: 23,
          stored: done * 135,
          finished,
        });
        if (finished) notify({ type: 'sources' });
        else setTimeout(step, 120);
      };
      setTimeout(step, 120);
      return fresh;
    },
    unwatch(id: string): SourceView[] {
      held = held.filter((one) => one.id !== id);
      notify({ type: 'sources' });
      return [...held];
    },
  };
}
