/** What the filter chips of Memories stand for. */
import type { ListRequest, SortOrder } from '../../ipc/bindings';
import { conversationParts } from '../../words/where';

/** Which memories: those that queries see, those whose end has passed, or those thrown away. */
export const VIEWS = ['living', 'expired', 'trash'] as const;
export type View = (typeof VIEWS)[number];

export type DateChoice = 'any' | 'today' | 'week' | 'month' | 'range';

export interface Filters {
  contains: string;
  agents: string[];
  roles: string[];
  kinds: string[];
  source: string | null;
  /** The organisation, as the core knows it: a project's folder. */
  project: string | null;
  /** The key of a conversation. */
  session: string | null;
  tags: string[];
  date: DateChoice;
  /** Days as YYYY-MM-DD, for `range`; empty = open. */
  from: string;
  until: string;
  /** Picked on the map, by id; null = not narrowed by it. */
  only: string[] | null;
  sort: SortOrder;
  view: View;
}

export const NO_FILTERS: Filters = {
  contains: '',
  agents: [],
  roles: [],
  kinds: [],
  source: null,
  project: null,
  session: null,
  tags: [],
  date: 'any',
  from: '',
  until: '',
  only: null,
  sort: 'newest',
  view: 'living',
};

const DAY = 86_400_000;
const SPANS: Partial<Record<DateChoice, number>> = { today: 1, week: 7, month: 30 };

/** Whether anything is left out by a filter; sort order and view are no filters. */
export function filtering(filters: Filters): boolean {
  return (
    filters.contains !== '' ||
    filters.agents.length > 0 ||
    filters.roles.length > 0 ||
    filters.kinds.length > 0 ||
    filters.source !== null ||
    filters.project !== null ||
    filters.session !== null ||
    filters.tags.length > 0 ||
    filters.date !== 'any' ||
    filters.only !== null
  );
}

/** The first moment of a day in this machine's time zone, `days` later, as RFC 3339. */
function dayStart(day: string, days = 0): string | null {
  const [year, month, date] = day.split('-').map(Number);
  if (!year || !month || !date) return null;
  return new Date(year, month - 1, date + days).toISOString();
}

/** The request for the core. `now` is rounded to the minute, so that the same filter stays the same question. */
export function requestFor(filters: Filters, now: number): Omit<ListRequest, 'offset' | 'limit'> {
  const span = SPANS[filters.date];
  const minute = Math.floor(now / 60_000) * 60_000;
  let after: string | null = null;
  let before: string | null = null;
  if (span !== undefined) after = new Date(minute - span * DAY).toISOString();
  else if (filters.date === 'range') {
    after = dayStart(filters.from);
    // The last day counts in full.
    before = dayStart(filters.until, 1);
  }
  const [of, agent, session] = conversationParts(filters.session);
  return {
    filter: {
      org: of ?? filters.project,
      agents: agent === null ? filters.agents : [agent],
      session,
      roles: filters.roles,
      kinds: filters.kinds,
      source: filters.source,
      tags: filters.tags,
      after,
      before,
    },
    contains: filters.contains.trim() === '' ? null : filters.contains.trim(),
    only: filters.only,
    trash: filters.view === 'trash',
    expired: filters.view === 'expired',
    sort: filters.sort,
  };
}
