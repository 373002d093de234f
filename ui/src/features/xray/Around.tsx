/** What was said or done right before and after a memory, and the way into the conversation. */
import { useEffect, useRef } from 'react';
import { Button } from '../../components/Button';
import { Failed, Waiting } from '../../components/State';
import type { MemoryView, TurnView } from '../../ipc/bindings';
import { useSession } from '../../ipc/hooks';
import { xray } from '../../locales/en/xray';
import { isFocusLost } from '../../shell/focus';
import css from './MemoryPanel.module.css';
import { xrayStore } from './store';
import { Turn } from './Turn';

const t = xray.memory;

export function Around({ memory }: { memory: MemoryView }) {
  const { id, session } = memory.card;
  const conversation = useSession(session === null ? null : id);
  const box = useRef<HTMLElement>(null);
  // Enter on a result leads here; Enter once more reads the conversation. Nobody who writes is disturbed.
  useEffect(() => {
    const read = box.current?.querySelector('button');
    if (isFocusLost()) read?.focus();
  }, []);
  if (session === null) return <p className={css.meta}>{t.alone}</p>;
  const turns = conversation.data?.turns ?? [];
  const at = turns.findIndex((turn) => turn.id === id);
  return (
    <section className={css.section} ref={box} aria-label={t.around}>
      <div className={css.around}>
        <h3>{t.around}</h3>
        <Button onPress={() => xrayStore().set({ session: id })}>{t.readSession}</Button>
      </div>
      {conversation.isPending ? <Waiting /> : null}
      {conversation.error ? (
        <Failed error={conversation.error} onRetry={() => void conversation.refetch()} />
      ) : null}
      {at < 0 ? null : (
        <>
          <Beside turn={turns[at - 1]} none={t.begins} />
          <Beside turn={turns[at + 1]} none={t.ends} />
        </>
      )}
    </section>
  );
}

function Beside({ turn, none }: { turn: TurnView | undefined; none: string }) {
  return turn ? <Turn turn={turn} isBrief /> : <p className={css.meta}>{none}</p>;
}
