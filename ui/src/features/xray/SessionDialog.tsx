/** A conversation from its beginning, opened at one memory; the results of the question are marked in it. */
import { type KeyboardEvent, useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import { Button } from '../../components/Button';
import { Dialog } from '../../components/Dialog';
import { Failed, Waiting } from '../../components/State';
import { useSession } from '../../ipc/hooks';
import { day } from '../../locales/en/format';
import { xray } from '../../locales/en/xray';
import { isKey } from '../../shell/keyboard';
import { titleOf } from '../../words/where';
import css from './SessionDialog.module.css';
import { useXray, xrayStore } from './store';
import { Turn } from './Turn';

const t = xray.session;

export function SessionDialog({ id }: { id: string | null }) {
  const conversation = useSession(id);
  const turns = conversation.data?.turns ?? [];
  const opening = turns.find((turn) => turn.role === 'user' && turn.kind === 'text') ?? turns[0];
  const close = () => xrayStore().set({ session: null });
  return (
    <Dialog
      title={opening ? titleOf(opening.text, 90) : t.reading}
      isOpen={id !== null}
      onClose={close}
      isWide
      actions={<Button onPress={close}>{t.close}</Button>}
    >
      {id !== null && conversation.isPending ? <Waiting words={t.reading} /> : null}
      {conversation.error ? (
        <Failed error={conversation.error} onRetry={() => void conversation.refetch()} />
      ) : null}
      {id !== null && conversation.data ? (
        <Conversation key={id} id={id} turns={turns} total={conversation.data.total} />
      ) : null}
    </Dialog>
  );
}

function Conversation(props: {
  id: string;
  turns: NonNullable<ReturnType<typeof useSession>['data']>['turns'];
  total: number;
}) {
  const { id, turns, total } = props;
  const { view } = useXray('view');
  const results = view?.trace.results;
  const places = useMemo(
    () => new Map((results ?? []).map((result, index) => [result, index + 1])),
    [results],
  );
  const inIt = turns.filter((turn) => places.has(turn.id)).length;
  const box = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    box.current?.querySelector('[data-here]')?.scrollIntoView({ block: 'center' });
  }, []);
  useEffect(() => box.current?.focus({ preventScroll: true }), []);
  const at = turns.findIndex((turn) => turn.id === id);
  const first = turns[0]?.created_at ?? null;

  /** Goes to the result below or above what is in the middle of the view. */
  const step = (by: 1 | -1) => {
    const element = box.current;
    if (!element) return;
    const middle = element.getBoundingClientRect().top + element.clientHeight / 2;
    const marked = [...element.querySelectorAll<HTMLElement>('[data-result]')];
    const lies = (one: HTMLElement) => {
      const { top, bottom } = one.getBoundingClientRect();
      return (top + bottom) / 2 - middle;
    };
    const next =
      by === 1
        ? marked.find((one) => lies(one) > 4 + one.clientHeight / 2)
        : marked.findLast((one) => lies(one) < -4 - one.clientHeight / 2);
    next?.scrollIntoView({ block: 'center' });
  };
  const pressed = (event: KeyboardEvent) => {
    const by = isKey(event, 'nextResult') ? 1 : isKey(event, 'previousResult') ? -1 : null;
    if (by === null) return;
    event.preventDefault();
    step(by);
  };
  return (
    <>
      <div className={css.head}>
        <p>
          {first === null ? null : `${day(first, view?.trace.now)} · `}
          {t.part(at + 1, total)} · {inIt === 0 ? t.none : t.jump(inIt)}
        </p>
        <Button variant="quiet" aria-label={t.previous} onPress={() => step(-1)}>
          ↑
        </Button>
        <Button variant="quiet" aria-label={t.next} onPress={() => step(1)}>
          ↓
        </Button>
      </div>
      {total > turns.length ? <p>{t.cut(turns.length, total)}</p> : null}
      <section
        className={css.turns}
        ref={box}
        aria-label={t.keys}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard.
        tabIndex={0}
        onKeyDown={pressed}
      >
        {turns.map((turn) => (
          <Turn
            key={turn.id}
            turn={turn}
            place={places.get(turn.id)}
            isHere={turn.id === id}
            onOpen={open}
          />
        ))}
      </section>
      <p className={css.keys}>{t.keys}</p>
    </>
  );
}

/** The same function for every turn, so that none is drawn again. */
function open(id: string): void {
  xrayStore().set({ session: null });
  xrayStore().openMemory(id);
}
