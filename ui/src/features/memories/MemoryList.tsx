/** The virtualised list: one tab stop, a cursor that the arrow keys move, a selection apart from it. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type MouseEvent, type RefObject, useEffect, useState } from 'react';
import { text } from '../../locales/en';
import { isKey } from '../../shell/keyboard';
import { usePreferences } from '../../shell/preferences';
import { everyId, type MemoryList as List, type Listed, useMemoryList } from './list';
import css from './MemoryList.module.css';
import { MemoryRow } from './MemoryRow';
import type { Selection } from './selection';

/** Heights in pixels; a compact row is one line, so that a window of 900 holds more than twenty. */
const ROW = { comfortable: 54, compact: 30 } as const;

export interface MemoryListProps {
  request: Listed;
  selection: Selection;
  openId: string | null;
  /** The element that scrolls and takes the focus. */
  frame: RefObject<HTMLDivElement | null>;
  onOpen: (id: string) => void;
  onEdit: (id: string) => void;
  onDelete: (ids: string[]) => void;
  onNew: () => void;
  onEscape: () => void;
  onTotal: (total: number) => void;
  /** What stands in place of an empty list. */
  empty: React.ReactNode;
  /** What stands in place of a list that failed. */
  broken: (error: unknown, again: () => void) => React.ReactNode;
}

export function MemoryList(props: MemoryListProps) {
  const { request, selection, openId, onTotal } = props;
  const { density } = usePreferences();
  const height = ROW[density];
  const { frame } = props;
  const [cursor, setCursor] = useState(0);
  const [range, setRange] = useState({ first: 0, last: 40, scrolled: false });
  const list = useMemoryList(request, range.first, range.last, range.scrolled);

  const virtual = useVirtualizer({
    count: list.total,
    getScrollElement: () => frame.current,
    estimateSize: () => height,
    overscan: 8,
    initialRect: { width: 600, height: 800 },
  });
  const rows = virtual.getVirtualItems();
  const first = rows[0]?.index ?? 0;
  const last = rows.at(-1)?.index ?? 40;
  const scrolled = (virtual.scrollOffset ?? 0) > height / 2;
  useEffect(() => setRange({ first, last, scrolled }), [first, last, scrolled]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another density, another height.
  useEffect(() => virtual.measure(), [virtual, height]);
  useEffect(() => onTotal(list.total), [onTotal, list.total]);

  const name = JSON.stringify(request);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another question starts at the top.
  useEffect(() => {
    setCursor(0);
    frame.current?.scrollTo({ top: 0 });
  }, [name]);
  useEffect(() => {
    if (!scrolled && list.held > 0) list.release();
  }, [scrolled, list.held, list.release]);
  useEffect(() => {
    if (cursor > 0 && cursor >= list.total) setCursor(Math.max(0, list.total - 1));
  }, [cursor, list.total]);

  const move = (to: number, extend: boolean) => {
    const next = Math.max(0, Math.min(list.total - 1, to));
    const from = list.at(cursor);
    const card = list.at(next);
    setCursor(next);
    virtual.scrollToIndex(next);
    if (extend) selection.add([from?.id, card?.id]);
    if (card && openId !== null && !extend) props.onOpen(card.id);
  };

  const pressed = (event: KeyboardEvent) => {
    const card = list.at(cursor);
    const page = Math.max(1, Math.floor((frame.current?.clientHeight ?? 600) / height) - 1);
    const moves: Record<string, number> = {
      ArrowDown: cursor + 1,
      ArrowUp: cursor - 1,
      PageDown: cursor + page,
      PageUp: cursor - page,
      Home: 0,
      End: list.total - 1,
    };
    const to = moves[event.key];
    if (to !== undefined) move(to, event.shiftKey);
    else if (isKey(event, 'open') && card) props.onOpen(card.id);
    else if (isKey(event, 'select') && card) selection.toggle(card.id);
    else if (isKey(event, 'edit') && card) props.onEdit(card.id);
    else if (isKey(event, 'remove') && card) {
      props.onDelete(selection.ids.size > 0 ? [...selection.ids] : [card.id]);
    } else if (isKey(event, 'add')) props.onNew();
    else if (isKey(event, 'close')) props.onEscape();
    else if (isKey(event, 'selectAll')) selection.addAll((progress) => everyId(request, progress));
    else return;
    event.preventDefault();
  };

  const clicked = (index: number) => (event: MouseEvent) => {
    const card = list.at(index);
    if (!card) return;
    const from = cursor;
    setCursor(index);
    const onTick = event.target instanceof Element && event.target.closest('[data-tick]') !== null;
    if (event.shiftKey) {
      selection.add(visible(list, Math.min(from, index), Math.max(from, index)));
    } else if (onTick || event.ctrlKey || event.metaKey) selection.toggle(card.id);
    else props.onOpen(card.id);
  };

  if (list.error) return <>{props.broken(list.error, list.again)}</>;
  if (!list.loading && list.total === 0 && list.held === 0) return <>{props.empty}</>;
  const active = list.at(cursor);
  return (
    <div className={css.wrap}>
      <div
        ref={frame}
        className={css.frame}
        role="listbox"
        aria-label={text.memories.list(list.total)}
        aria-multiselectable="true"
        aria-busy={list.loading}
        aria-activedescendant={
          active && cursor >= first && cursor <= last ? `row-${active.id}` : undefined
        }
        tabIndex={0}
        onKeyDown={pressed}
      >
        <div style={{ height: virtual.getTotalSize() }} className={css.sheet} role="presentation">
          {rows.map((row) => (
            <div
              key={row.key}
              role="presentation"
              className={css.place}
              style={{ height, transform: `translateY(${row.start}px)` }}
            >
              <MemoryRow
                card={list.at(row.index)}
                index={row.index}
                total={list.total}
                isCursor={row.index === cursor}
                isOpen={list.at(row.index)?.id === openId}
                isSelected={selection.ids.has(list.at(row.index)?.id ?? '')}
                isFresh={list.fresh.has(list.at(row.index)?.id ?? '')}
                isCompact={density === 'compact'}
                onClick={clicked(row.index)}
              />
            </div>
          ))}
        </div>
      </div>
      {list.held > 0 && (
        <button
          type="button"
          className={css.pill}
          onClick={() => {
            list.release();
            setCursor(0);
            frame.current?.scrollTo({ top: 0 });
          }}
        >
          ↑ {text.memories.newPill(list.held)}
        </button>
      )}
    </div>
  );
}

function visible(list: List, first: number, last: number): string[] {
  const ids: string[] = [];
  for (let index = first; index <= last; index += 1) {
    const id = list.at(index)?.id;
    if (id) ids.push(id);
  }
  return ids;
}
