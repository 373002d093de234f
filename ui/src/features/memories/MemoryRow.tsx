import type { MouseEvent } from 'react';
import { Highlighted } from '../../components/Highlighted';
import type { MemoryCard } from '../../ipc/bindings';
import { text } from '../../locales/en';
import css from './MemoryRow.module.css';

export interface MemoryRowProps {
  /** Absent while its page is on its way. */
  card: MemoryCard | undefined;
  index: number;
  total: number;
  isCursor: boolean;
  isOpen: boolean;
  isSelected: boolean;
  isFresh: boolean;
  isCompact: boolean;
  onClick: (event: MouseEvent) => void;
}

/** One memory in the list: what it says, who said it, when. */
export function MemoryRow({ card, ...props }: MemoryRowProps) {
  if (!card) return <div className={css.row} aria-hidden="true" data-waiting />;
  const kind = card.tool_name ?? card.kind.replaceAll('_', ' ');
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list around it hears every key.
    <div
      id={`row-${card.id}`}
      className={css.row}
      role="option"
      onClick={props.onClick}
      // The list keeps the focus and names the row under the cursor.
      tabIndex={-1}
      aria-selected={props.isSelected}
      aria-posinset={props.index + 1}
      aria-setsize={props.total}
      data-cursor={props.isCursor || undefined}
      data-open={props.isOpen || undefined}
      data-fresh={props.isFresh || undefined}
      data-compact={props.isCompact || undefined}
    >
      <span className={css.tick} data-tick aria-hidden="true" />
      <span className={css.body}>
        <span className={css.snippet}>
          <Highlighted text={card.snippet} marks={card.highlights} />
        </span>
        <span className={css.facts}>
          <span className={css.agent}>{card.agent}</span>
          <span>{card.role}</span>
          <span>{kind}</span>
          {card.pinned && <span className={css.flag}>{text.memories.isPinned}</span>}
          {card.trust === 'flagged' && <span className={css.bad}>{text.memories.isFlagged}</span>}
          {card.tags.map((tag) => (
            <span key={tag} className={css.tag}>
              {tag}
            </span>
          ))}
        </span>
      </span>
      <span className={css.age}>{text.common.age(card.age_days)}</span>
    </div>
  );
}
