/** The conversations by day: what each was about, where, how long, and what went wrong in it. */
import { useMemo } from 'react';
import { Button } from '../../components/Button';
import { EmptyState } from '../../components/EmptyState';
import { Failed, Waiting } from '../../components/State';
import type { SessionView } from '../../ipc/bindings';
import { useSessions } from '../../ipc/hooks';
import { text } from '../../locales/en';
import { walkRows } from '../../stages/arrows';
import { conversationKey, projectOf, titleOf } from '../../words/where';
import type { Filters } from './filters';
import css from './Sessions.module.css';

const words = text.memories.sessions;

/** More rows than this say nothing to anybody; the filters lead to the others. */
const SHOWN = 300;

/** Day and time by this machine's clock, as the person lived them. */
const time = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const date = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });

/** Those that fit what is filtered by; a text is looked for in what the person asked for first. */
export function fitting(
  sessions: readonly SessionView[],
  filters: Pick<Filters, 'contains' | 'project' | 'agents'>,
): SessionView[] {
  const wanted = filters.contains.trim().toLowerCase();
  return sessions.filter(
    ({ org, agent, opening }) =>
      (filters.project === null || org === filters.project) &&
      (filters.agents.length === 0 || filters.agents.includes(agent)) &&
      opening.toLowerCase().includes(wanted),
  );
}

/** Grouped by the day on which they were active last, the latest first. */
export function byDay(sessions: readonly SessionView[]): [day: string, of: SessionView[]][] {
  const days = new Map<string, SessionView[]>();
  for (const one of sessions) {
    const on = one.last === null ? '' : date.format(new Date(one.last));
    days.set(on, [...(days.get(on) ?? []), one]);
  }
  return [...days];
}

export function Sessions(props: {
  filters: Filters;
  onOpen: (key: string) => void;
  onClear: () => void;
}) {
  const { filters, onOpen } = props;
  const sessions = useSessions();
  const found = useMemo(() => fitting(sessions.data ?? [], filters), [sessions.data, filters]);
  if (sessions.error) {
    return (
      <div className={css.state}>
        <Failed error={sessions.error} onRetry={() => void sessions.refetch()} />
      </div>
    );
  }
  if (!sessions.data) {
    return (
      <div className={css.state}>
        <Waiting />
      </div>
    );
  }
  if (sessions.data.length === 0) {
    return <EmptyState title={words.none}>{words.noneBody}</EmptyState>;
  }
  if (found.length === 0) {
    return (
      <EmptyState
        title={text.memories.noMatchTitle}
        action={<Button onPress={props.onClear}>{text.memories.clear}</Button>}
      >
        {words.noMatch}
      </EmptyState>
    );
  }
  const shown = found.slice(0, SHOWN);
  let place = 0;
  return (
    <section className={css.list} aria-label={words.list(found.length)} onKeyDown={walkRows}>
      {found.length > shown.length ? (
        <p className={css.partial}>{words.partial(shown.length, found.length)}</p>
      ) : null}
      {byDay(shown).map(([on, of]) => (
        <section key={on}>
          <h2>{on === '' ? words.noDay : on}</h2>
          <ul>
            {of.map((one) => {
              place += 1;
              return (
                <li key={conversationKey(one)}>
                  <Row session={one} isFirst={place === 1} onOpen={onOpen} />
                </li>
              );
            })}
          </ul>
        </section>
      ))}
    </section>
  );
}

function Row(props: { session: SessionView; isFirst: boolean; onOpen: (key: string) => void }) {
  const { session: one, isFirst } = props;
  return (
    <button
      type="button"
      data-row
      tabIndex={isFirst ? 0 : -1}
      className={css.row}
      onClick={() => props.onOpen(conversationKey(one))}
    >
      <b title={one.opening}>{titleOf(one.opening, 160)}</b>
      <span className={css.facts}>
        <span title={one.org ?? undefined}>{one.org ? projectOf(one.org) : one.agent}</span>
        {one.last === null ? null : (
          <time dateTime={one.last}>{time.format(new Date(one.last))}</time>
        )}
        <span>{words.memories(one.memories)}</span>
        <span>{words.said(one.said)}</span>
        <span>{words.calls(one.calls)}</span>
        {one.errors > 0 ? <em>{words.errors(one.errors)}</em> : null}
      </span>
    </button>
  );
}
