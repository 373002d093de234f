/** Past queries: ask one again, look at one as it was, put two side by side. */
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Button } from '../../../components/Button';
import { Confirm } from '../../../components/Confirm';
import { Dialog } from '../../../components/Dialog';
import { failed } from '../../../components/failure';
import { SearchField, Select } from '../../../components/fields';
import { Failed } from '../../../components/State';
import { toast } from '../../../components/Toast';
import { backend } from '../../../ipc/backend';
import type { HistoryEntry, UsageCounts } from '../../../ipc/bindings';
import { keys } from '../../../ipc/keys';
import { xray } from '../../../locales/en/xray';
import { walkRows } from '../../../stages/arrows';
import { xrayStore } from '../store';
import type { Side } from './difference';
import { moment } from './difference';
import css from './HistoryDialog.module.css';
import { HistoryRow } from './HistoryRow';

const t = xray.history;

/** How many are read at a time. */
const PAGE = 100;

/** How often an open list looks for what was asked meanwhile, in milliseconds. */
const LOOK_AGAIN_MS = 1000;

/** How often an open list looks what agents made of what they were given. */
const JUDGE_AGAIN_MS = 5000;

/** Whose questions are shown. */
const WHOSE = ['anyone', 'person', 'agent'] as const;
type Who = (typeof WHOSE)[number];

export function HistoryDialog(props: {
  isOpen: boolean;
  onClose: () => void;
  onCompare: (a: Side, b: Side) => void;
}) {
  return (
    <Dialog title={t.title} isOpen={props.isOpen} onClose={props.onClose} isWide>
      {props.isOpen ? <History {...props} /> : null}
    </Dialog>
  );
}

function History({
  onClose,
  onCompare,
}: {
  onClose: () => void;
  onCompare: (a: Side, b: Side) => void;
}) {
  const [limit, setLimit] = useState(PAGE);
  const [sought, setSought] = useState('');
  const [who, setWho] = useState<Who>('anyone');
  const [marked, setMarked] = useState<string[]>([]);
  const history = useQuery({
    queryKey: [...keys.history, limit],
    queryFn: () => backend().history({ before: null, limit: Math.min(limit, 200) }),
    // What was asked a moment ago belongs on the list.
    staleTime: 0,
    // An agent writes into the same vault from another program, which tells nobody.
    refetchInterval: LOOK_AGAIN_MS,
    placeholderData: keepPreviousData,
  });
  // Texts are compared for this: the list does not wait for it, and looks again less often.
  const usages = useQuery({
    queryKey: keys.usages(limit),
    queryFn: () => backend().history({ before: null, limit: Math.min(limit, 200), usage: true }),
    enabled: history.data?.entries.some((entry) => entry.channel !== 'window') ?? false,
    staleTime: 0,
    refetchInterval: JUDGE_AGAIN_MS,
    placeholderData: keepPreviousData,
  });
  const usageOf = useMemo(
    () => new Map(usages.data?.entries.map((entry) => [entry.id, entry.usage])),
    [usages.data],
  );
  const open = async (id: string) => {
    try {
      xrayStore().openStored(await backend().storedTrace(id));
      onClose();
    } catch (error) {
      failed(error);
    }
  };
  const compare = async () => {
    const [first, second] = marked;
    if (first === undefined || second === undefined) return;
    try {
      // The older one is A, so that the comparison reads as what has changed.
      const order = (id: string) => Number(id.slice(1));
      const pair = [first, second].sort((a, b) => order(a) - order(b));
      const [a, b] = await Promise.all(pair.map(side));
      onClose();
      if (a && b) onCompare(a, b);
    } catch (error) {
      failed(error);
    }
  };
  const toggle = (id: string) =>
    setMarked((held) =>
      held.includes(id) ? held.filter((one) => one !== id) : [...held.slice(-1), id],
    );
  if (history.error) {
    return <Failed error={history.error} onRetry={() => void history.refetch()} />;
  }
  if (!history.data) return <p className={css.note}>{t.loading}</p>;
  const { entries, total } = history.data;
  if (total === 0) return <p className={css.note}>{t.none}</p>;
  const wanted = sought.trim().toLowerCase();
  const shown = entries.filter(
    (entry) =>
      entry.query.toLowerCase().includes(wanted) &&
      (who === 'anyone' || (entry.channel === 'window') === (who === 'person')),
  );
  return (
    <>
      <div className={css.tools}>
        <SearchField label={t.search} placeholder={t.search} value={sought} onChange={setSought} />
        <Select
          label={t.who}
          value={who}
          choices={WHOSE.map((id) => ({ id, label: t.whose[id] }))}
          onChange={(id) => setWho(WHOSE.find((one) => one === id) ?? 'anyone')}
        />
        <Button
          isDisabled={marked.length < 2}
          variant={marked.length === 2 ? 'primary' : undefined}
          onPress={() => void compare()}
        >
          {t.compare(marked.length)}
        </Button>
        <Clear total={total} />
      </div>
      <p className={css.note}>{shown.length === 0 ? t.noMatch : t.help}</p>
      <Entries
        entries={shown}
        usageOf={usageOf}
        marked={marked}
        onAgain={(entry) => {
          again(entry);
          onClose();
        }}
        onOpen={(id) => void open(id)}
        onMark={toggle}
      />
      {total > entries.length && limit < 200 ? (
        <div>
          <Button variant="quiet" onPress={() => setLimit(200)}>
            {t.more(Math.min(total, 200) - entries.length)}
          </Button>
        </div>
      ) : null}
    </>
  );
}

function Entries(props: {
  entries: readonly HistoryEntry[];
  usageOf: ReadonlyMap<string, UsageCounts | null>;
  marked: readonly string[];
  onAgain: (entry: HistoryEntry) => void;
  onOpen: (id: string) => void;
  onMark: (id: string) => void;
}) {
  return (
    <ol className={css.list} aria-label={t.list} onKeyDown={walkRows}>
      {props.entries.map((entry, index) => (
        <HistoryRow
          key={entry.id}
          entry={entry}
          usage={props.usageOf.get(entry.id) ?? null}
          isFirst={index === 0}
          isMarked={props.marked.includes(entry.id)}
          onAgain={() => props.onAgain(entry)}
          onOpen={() => props.onOpen(entry.id)}
          onMark={() => props.onMark(entry.id)}
        />
      ))}
    </ol>
  );
}

/** Asks in today's words: the text, the mode and the filter of then, the constants of now. */
function again(entry: HistoryEntry): void {
  const { agents, ...rest } = entry.filter;
  xrayStore().ask({ text: entry.query, mode: entry.mode, agents, rest, now: null, expected: null });
}

/** A stored trace as a side of a comparison. */
async function side(id: string): Promise<Side> {
  const stored = await backend().storedTrace(id);
  return { name: moment(stored.at), trace: stored.trace, cards: stored.cards };
}

/** Forgetting asks first: it cannot be taken back. */
function Clear({ total }: { total: number }) {
  const [asking, setAsking] = useState(false);
  const client = useQueryClient();
  const clear = async () => {
    setAsking(false);
    try {
      toast(t.cleared(await backend().clearHistory()));
    } catch (error) {
      failed(error);
    }
    await client.invalidateQueries({ queryKey: keys.history });
  };
  return (
    <>
      <Button variant="quiet" onPress={() => setAsking(true)}>
        {t.clear}
      </Button>
      <Confirm
        title={t.clearAsk}
        action={t.clear}
        keep={t.keep}
        isOpen={asking}
        onClose={() => setAsking(false)}
        onConfirm={() => void clear()}
      >
        <p>{t.clearBody(total)}</p>
      </Confirm>
    </>
  );
}
