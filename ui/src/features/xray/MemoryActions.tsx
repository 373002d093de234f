/** What can be done with a memory from here; every change can be taken back. */
import { useState } from 'react';
import { Button } from '../../components/Button';
import { failed } from '../../components/failure';
import { toast } from '../../components/Toast';
import type { MemoryView } from '../../ipc/bindings';
import { xray } from '../../locales/en/xray';
import { useUndo } from '../../shell/undo';
import { useMemoryActions } from '../memories/actions';
import { MemoryEditor } from '../memories/MemoryEditor';
import css from './MemoryPanel.module.css';
import { useXray, xrayStore } from './store';

const t = xray.actions;

export function MemoryActions({ memory }: { memory: MemoryView }) {
  const { expected, draft: offered } = useXray('expected', 'draft');
  const draft = offered?.id === memory.card.id ? offered : null;
  const [editing, setEditing] = useState(false);
  const actions = useMemoryActions();
  const undo = useUndo();
  const { id, pinned, version, trust } = memory.card;
  const change = async (part: { pinned?: boolean; approve?: boolean }, said: string) => {
    try {
      await actions.edit({
        id,
        version,
        content: null,
        tags: null,
        pinned: part.pinned ?? null,
        approve: part.approve ?? null,
      });
      toast(said, { undo });
    } catch (error) {
      failed(error);
    }
  };
  if (editing || draft) {
    return (
      <div className={css.editor}>
        {draft ? <p className={css.note}>{t.drafted}</p> : null}
        <MemoryEditor
          // Another draft is another editor.
          key={draft ? `${draft.content} ${draft.tags}` : 'own'}
          memory={memory}
          draft={draft}
          onDone={() => {
            setEditing(false);
            if (draft) xrayStore().set({ draft: null });
          }}
        />
      </div>
    );
  }
  return (
    <div className={css.actions}>
      {expected === id ? (
        <Button onPress={() => xrayStore().set({ tab: 'verdict' })}>{t.showVerdict}</Button>
      ) : (
        <Button onPress={() => xrayStore().expect(id)}>{xray.list.expectThis}</Button>
      )}
      <Button onPress={() => setEditing(true)}>{t.edit}</Button>
      <Button onPress={() => void change({ pinned: !pinned }, pinned ? t.unpinned : t.pinned)}>
        {pinned ? t.unpin : t.pin}
      </Button>
      {trust === 'flagged' ? (
        <Button onPress={() => void change({ approve: true }, t.approved)}>{t.approve}</Button>
      ) : null}
      <Button
        variant="danger"
        onPress={() => void actions.remove([id]).then(() => xrayStore().closeMemory())}
      >
        {t.delete}
      </Button>
    </div>
  );
}
