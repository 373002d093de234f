import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { Button } from '../../components/Button';
import { EmptyState } from '../../components/EmptyState';
import { sentenceOf } from '../../components/failure';
import { text } from '../../locales/en';
import { resetArrivals } from '../../shell/arrivals';
import { isKey } from '../../shell/keyboard';
import { navigate, settleRoute, useRoute } from '../../shell/route';
import { AddDialog } from './AddDialog';
import { useMemoryActions } from './actions';
import { Duplicates } from './Duplicates';
import { FilterBar, type Shape } from './FilterBar';
import { type Filters, filtering, NO_FILTERS, requestFor } from './filters';
import css from './MemoriesSection.module.css';
import { MemoryDetail } from './MemoryDetail';
import { MemoryList } from './MemoryList';
import { MapPanel } from './map/MapPanel';
import { SelectionBar } from './SelectionBar';
import { Sessions } from './Sessions';
import { useSelection } from './selection';

/** Typing waits this long for the next key before the core is asked, milliseconds. */
const PAUSE = 120;

/** Where list and memory no longer fit side by side; as in the style sheet. */
const NARROW = '(max-width: 999px)';

/** Everything the agent knows: list left, one memory in full at the right. */
export function MemoriesSection() {
  const { params } = useRoute();
  const [filters, setFilters] = useState<Filters>(NO_FILTERS);
  const [openId, setOpenId] = useState<string | null>(null);
  const [editing, setEditing] = useState(false);
  const [adding, setAdding] = useState(false);
  const trash = filters.view === 'trash';
  const [total, setTotal] = useState(0);
  const [shape, setShape] = useState<Shape>('list');
  const selection = useSelection();
  const actions = useMemoryActions();
  const frame = useRef<HTMLDivElement>(null);
  const pane = useRef<HTMLElement>(null);

  useEffect(() => {
    resetArrivals();
    return () => resetArrivals();
  }, []);
  useEffect(() => {
    if (params.contains !== undefined) {
      setFilters({ ...NO_FILTERS, contains: params.contains });
      settleRoute();
    }
    if (params.id !== undefined) setOpenId(params.id);
  }, [params.contains, params.id]);

  const typed = useSettled(filters.contains, PAUSE);
  const request = useMemo(
    () => requestFor({ ...filters, contains: typed }, Date.now()),
    [filters, typed],
  );
  const change = useCallback(
    (part: Partial<Filters>) => {
      setFilters((now) => ({ ...now, ...part }));
      selection.clear();
      if (part.view !== undefined) setOpenId(null);
    },
    [selection.clear],
  );
  const open = (id: string) => {
    setEditing(false);
    setOpenId(id);
  };
  const close = () => {
    setEditing(false);
    setOpenId(null);
    // After the list is back on the page: where there is no room it was hidden.
    requestAnimationFrame(() => frame.current?.focus());
  };
  useEffect(() => {
    if (openId !== null && window.matchMedia(NARROW).matches) pane.current?.focus();
  }, [openId]);
  const remove = (ids: string[]) => {
    selection.clear();
    if (openId !== null && ids.includes(openId)) close();
    void (trash ? actions.restore(ids) : actions.remove(ids));
  };

  const acted = (ids: string[]) => {
    if (openId !== null && ids.includes(openId)) close();
    else frame.current?.focus();
  };
  const paneKey = (event: KeyboardEvent) => {
    if (openId === null || event.target instanceof HTMLTextAreaElement) return;
    if (event.target instanceof HTMLInputElement) return;
    if (isKey(event, 'close')) close();
    else if (isKey(event, 'add')) setAdding(true);
    else if (isKey(event, 'edit') && !trash) setEditing(true);
    else if (isKey(event, 'remove') && !trash) remove([openId]);
    else return;
    event.preventDefault();
  };

  return (
    <div className={css.section}>
      <h1 className="visually-hidden">{text.app.sections.memories}</h1>
      <FilterBar
        filters={filters}
        onChange={change}
        total={total}
        shape={shape}
        onShape={setShape}
        onNew={() => setAdding(true)}
      />
      {adding ? (
        <AddDialog
          onClose={() => setAdding(false)}
          onAdded={(id) => {
            setAdding(false);
            change({ view: 'living' });
            open(id);
          }}
        />
      ) : null}
      <div
        className={css.body}
        data-open={openId !== null || undefined}
        data-map={shape === 'map' || undefined}
      >
        {shape === 'map' ? (
          <div className={css.map}>
            <MapPanel
              openId={openId}
              only={filters.only}
              onOpen={open}
              onPick={(only) => change({ only, view: 'living' })}
            />
          </div>
        ) : null}
        <section className={css.list} aria-label={text.app.sections.memories}>
          {shape === 'sessions' ? (
            <Sessions
              filters={filters}
              onOpen={(session) => {
                change({ session, sort: 'oldest' });
                setShape('list');
                // After the list is back on the page.
                requestAnimationFrame(() => frame.current?.focus());
              }}
              onClear={() => change({ ...NO_FILTERS })}
            />
          ) : shape === 'duplicates' ? (
            <Duplicates onOpen={open} />
          ) : (
            <MemoryList
              request={request}
              selection={selection}
              openId={openId}
              frame={frame}
              onOpen={open}
              onEdit={(id) => {
                setOpenId(id);
                setEditing(!trash);
              }}
              // In the trash the key Delete would mean purging, which always asks: the bar does that.
              onDelete={trash ? () => {} : remove}
              onNew={() => setAdding(true)}
              onEscape={() => (selection.ids.size > 0 ? selection.clear() : close())}
              onTotal={setTotal}
              empty={<Empty filters={filters} onClear={() => change({ ...NO_FILTERS })} />}
              broken={(error, again) => (
                <EmptyState
                  title={sentenceOf(error)}
                  action={<Button onPress={again}>{text.common.retry}</Button>}
                />
              )}
            />
          )}
          <SelectionBar selection={selection} trash={trash} onDone={acted} onMerged={open} />
        </section>
        <section
          ref={pane}
          tabIndex={-1}
          className={css.detail}
          aria-label={text.memories.pane}
          onKeyDown={paneKey}
        >
          {openId === null ? (
            <EmptyState title={text.memories.pick}>{text.memories.pickHint}</EmptyState>
          ) : (
            <MemoryDetail
              id={openId}
              editing={editing}
              onEditing={setEditing}
              onClose={close}
              onDeleted={close}
            />
          )}
        </section>
      </div>
    </div>
  );
}

function Empty({ filters, onClear }: { filters: Filters; onClear: () => void }) {
  const words = text.memories;
  if (filtering(filters)) {
    return (
      <EmptyState
        title={words.noMatchTitle}
        action={<Button onPress={onClear}>{words.clear}</Button>}
      >
        {words.noMatchBody}
      </EmptyState>
    );
  }
  if (filters.view === 'expired') {
    return <EmptyState title={words.expiredEmptyTitle}>{words.expiredEmptyBody}</EmptyState>;
  }
  if (filters.view === 'trash') {
    return <EmptyState title={words.trashEmptyTitle}>{words.trashEmptyBody}</EmptyState>;
  }
  return (
    <EmptyState
      title={words.emptyTitle}
      action={
        <Button variant="primary" onPress={() => navigate('sources', { add: '1' })}>
          {words.emptyAction}
        </Button>
      }
    >
      {words.emptyBody}
    </EmptyState>
  );
}

/** The value once it has been still for a while; typing never waits for a search. */
function useSettled(value: string, pause: number): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), value === '' ? 0 : pause);
    return () => clearTimeout(timer);
  }, [value, pause]);
  return settled;
}
