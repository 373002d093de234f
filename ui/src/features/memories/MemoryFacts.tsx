import type { ReactNode } from 'react';
import { CopyNumber } from '../../components/CopyNumber';
import type { MemoryView } from '../../ipc/bindings';
import { text } from '../../locales/en';
import css from './MemoryDetail.module.css';

/** Everything known about a memory besides its text. */
export function MemoryFacts({ memory }: { memory: MemoryView }) {
  const { card } = memory;
  const words = text.memories;
  const names = words.facts;
  const quality = words.quality[card.created_at_quality];
  const rows: [string, ReactNode][] = [
    [names.kind, card.kind.replaceAll('_', ' ')],
    [names.session, card.session ?? '–'],
    [names.created, `${text.common.dateTime(card.created_at)}${quality ? ` (${quality})` : ''}`],
    [
      names.seen,
      `${text.common.dateTime(memory.last_seen_at)}, ${words.seenTimes(card.seen_count)}`,
    ],
    [names.embedded, memory.embedded ? words.embeddedYes : words.embeddedNo],
    [names.length, words.characters(card.length)],
    [names.version, card.version],
    [names.id, <CopyNumber key="id" shown={card.id} label={names.id} />],
  ];
  if (card.pinned) rows.unshift([words.pin, words.pinned]);
  if (card.trust === 'approved') rows.push([words.approve, words.approved]);
  if (memory.expires_at) rows.push([names.expires, text.common.dateTime(memory.expires_at)]);
  if (memory.deleted_at) rows.push([names.deleted, text.common.dateTime(memory.deleted_at)]);
  if (memory.offset !== null) {
    rows.push([
      names.offset,
      <CopyNumber key="offset" shown={memory.offset} label={names.offset} />,
    ]);
  }
  return (
    <dl className={css.facts}>
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
      {card.tags.length > 0 && (
        <div>
          <dt>{text.memories.filters.tag}</dt>
          <dd className={css.tags}>
            {card.tags.map((tag) => (
              <span key={tag}>{tag}</span>
            ))}
          </dd>
        </div>
      )}
    </dl>
  );
}
