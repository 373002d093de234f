/** The invented core's conversations: memories of one agent and one session, in time. */
import type { MemoryView, SessionContentView, SessionView, TurnView } from '../bindings';
import type { Store } from './store';

const time = (one: MemoryView) => one.card.created_at ?? '';
const earliest = (a: MemoryView, b: MemoryView) => time(a).localeCompare(time(b));

function target(payload: string | null): string | null {
  const found = payload === null ? null : (JSON.parse(payload) as { path?: string });
  return found?.path ?? null;
}

function turn(memory: MemoryView): TurnView {
  const { card, content } = memory;
  return {
    id: card.id,
    role: card.role,
    kind: card.kind,
    tool_name: card.tool_name,
    target: target(memory.tool_payload),
    text: content,
    length: content.length,
    failed: card.tags.includes('error'),
    created_at: card.created_at,
    line: memory.line,
  };
}

/** All conversations, the one that was active last first. */
export function sessions(store: Store): SessionView[] {
  const groups = new Map<string, MemoryView[]>();
  for (const one of store.living()) {
    if (one.card.session === null) continue;
    const key = JSON.stringify([one.card.org, one.card.agent, one.card.session]);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()]
    .map((all): SessionView => {
      const sorted = all.toSorted(earliest);
      const first = sorted[0] as MemoryView;
      const said = sorted.filter(({ card }) => card.role === 'user' && card.kind === 'text');
      return {
        org: first.card.org,
        agent: first.card.agent,
        session: first.card.session ?? '',
        opening: (said[0] ?? first).content.slice(0, 400),
        first: first.card.created_at,
        last: sorted.at(-1)?.card.created_at ?? null,
        memories: sorted.length,
        said: said.length,
        calls: sorted.filter(({ card }) => card.kind === 'tool_call').length,
        errors: sorted.filter(({ card }) => card.tags.includes('error')).length,
        path: first.path,
      };
    })
    .sort((a, b) => (b.last ?? '').localeCompare(a.last ?? ''));
}

/** The conversation that a memory is a part of. */
export function session(store: Store, member: MemoryView): SessionContentView {
  const { card } = member;
  const all =
    card.session === null
      ? [member]
      : store
          .living()
          .filter(
            (one) =>
              one.card.session === card.session &&
              one.card.agent === card.agent &&
              one.card.org === card.org,
          )
          .sort(earliest);
  return { session: card.session ?? '', turns: all.map(turn), total: all.length };
}
