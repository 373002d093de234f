/** One line under a memory: project, conversation, who, when, where in which log, and its marks. */
import { memo } from 'react';
import type { MemoryCard } from '../../ipc/bindings';
import { useSessions } from '../../ipc/hooks';
import { age, ageAt, day } from '../../locales/en/format';
import { xray } from '../../locales/en/xray';
import { conversationKey, conversationOf, placeOf, projectOf, titleOf } from '../../words/where';
import css from './ResultList.module.css';

const t = xray.list;

/** The titles of all conversations, by their key. */
export function useTitles(): ReadonlyMap<string, string> {
  const sessions = useSessions();
  return titlesOf(sessions.data ?? NONE);
}

const NONE: NonNullable<ReturnType<typeof useSessions>['data']> = [];
const held = new WeakMap<object, ReadonlyMap<string, string>>();

/** Made once per answer, however many lines ask. */
function titlesOf(sessions: typeof NONE): ReadonlyMap<string, string> {
  const known = held.get(sessions);
  if (known) return known;
  const titles = new Map(sessions.map((one) => [conversationKey(one), one.opening]));
  held.set(sessions, titles);
  return titles;
}

/** Who spoke, or what a tool did. */
export function speaker(card: Pick<MemoryCard, 'kind' | 'role' | 'tool_name'>): string {
  const name = card.kind === 'text' ? card.role : card.kind.replaceAll('_', ' ');
  return card.tool_name === null ? name : `${name} ${card.tool_name}`;
}

export const Meta = memo(function Meta(props: { card: MemoryCard; clock?: string | undefined }) {
  const { card, clock } = props;
  const titles = useTitles();
  const key = conversationOf(card);
  const opening = key === null ? undefined : titles.get(key);
  const days = ageAt(card, clock);
  return (
    <>
      <span title={card.org ? `${card.org} · ${card.agent}` : undefined}>
        {card.org ? projectOf(card.org) : card.agent}
      </span>
      {opening === undefined ? null : (
        <span title={titleOf(opening, 400)}> · {titleOf(opening)}</span>
      )}
      <span> · {speaker(card)}</span>
      {card.created_at === null ? null : (
        <time dateTime={card.created_at} title={days === null ? undefined : t.before(age(days))}>
          {' '}
          · {day(card.created_at, clock)}
        </time>
      )}
      {card.source ? <span title={card.source}> · {placeOf(card.source)}</span> : null}
      {card.pinned ? <b> · {t.pinned}</b> : null}
      {card.trust === 'flagged' ? <b className={css.flagged}> · {t.flagged}</b> : null}
    </>
  );
});
