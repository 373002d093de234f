/** What can be done with a memory from here; every change can be taken back. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../components/Button';
import { Dialog } from '../../components/Dialog';
import { TextField } from '../../components/fields';
import { toast } from '../../components/Toast';
import { backend } from '../../ipc/backend';
import { failed } from '../../ipc/failure';
import { keys } from '../../ipc/keys';
import type { EditRequest, MemoryView } from '../../ipc/types';
import { xray } from '../../locales/en/xray';
import css from './MemoryPanel.module.css';
import { useXray, xrayStore } from './store';

const t = xray.actions;

/** After a change: the caches are stale, and the query is asked again. */
function useChanged() {
  const client = useQueryClient();
  const refresh = () => {
    for (const queryKey of [keys.memories, keys.status, keys.facets]) {
      void client.invalidateQueries({ queryKey });
    }
    xrayStore().again();
  };
  const undo = () => void backend().undo().then(refresh).catch(failed);
  return { refresh, undo };
}

export function MemoryActions({ memory }: { memory: MemoryView }) {
  const { expected } = useXray();
  const [editing, setEditing] = useState(false);
  const { refresh, undo } = useChanged();
  const { id, pinned, version, trust } = memory.card;
  const change = useMutation({
    mutationFn: (request: Omit<EditRequest, 'id' | 'version'>) =>
      backend().editMemory({ ...request, id, version }),
    onSuccess: (_, request) => {
      refresh();
      setEditing(false);
      toast(t.changed(request), { undo });
    },
    onError: failed,
  });
  const remove = useMutation({
    mutationFn: () => backend().deleteMemories([id]),
    onSuccess: () => {
      refresh();
      xrayStore().closeMemory();
      toast(t.deleted, { undo });
    },
    onError: failed,
  });
  return (
    <div className={css.actions}>
      {expected === id ? (
        <Button onPress={() => xrayStore().set({ tab: 'verdict' })}>{t.showVerdict}</Button>
      ) : (
        <Button onPress={() => xrayStore().expect(id)}>{xray.list.expectThis}</Button>
      )}
      <Button onPress={() => setEditing(true)}>{t.edit}</Button>
      <Button onPress={() => change.mutate({ pinned: !pinned })} isPending={change.isPending}>
        {pinned ? t.unpin : t.pin}
      </Button>
      {trust === 'flagged' ? (
        <Button onPress={() => change.mutate({ approve: true })}>{t.approve}</Button>
      ) : null}
      <Button variant="danger" onPress={() => remove.mutate()} isPending={remove.isPending}>
        {t.delete}
      </Button>
      <Editor
        key={version}
        memory={memory}
        isOpen={editing}
        isPending={change.isPending}
        onClose={() => setEditing(false)}
        onSave={(content) => change.mutate({ content })}
      />
    </div>
  );
}

function Editor(props: {
  memory: MemoryView;
  isOpen: boolean;
  isPending: boolean;
  onClose: () => void;
  onSave: (content: string) => void;
}) {
  const [content, setContent] = useState(props.memory.content);
  const unchanged = content === props.memory.content || content.trim() === '';
  return (
    <Dialog
      title={t.editTitle}
      isOpen={props.isOpen}
      onClose={props.onClose}
      actions={
        <>
          <Button onPress={props.onClose}>{xray.query.cancel}</Button>
          <Button
            variant="primary"
            isDisabled={unchanged}
            isPending={props.isPending}
            onPress={() => props.onSave(content)}
          >
            {xray.query.save}
          </Button>
        </>
      }
    >
      <TextField label={t.text} value={content} onChange={setContent} rows={10} autoFocus />
    </Dialog>
  );
}
