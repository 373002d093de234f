/** Makes one memory of several: which one stays, and with which words. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../components/Button';
import { Dialog } from '../../components/Dialog';
import { sentenceOf } from '../../components/failure';
import { Select, TextField } from '../../components/fields';
import { Failed } from '../../components/State';
import { toast } from '../../components/Toast';
import { backend } from '../../ipc/backend';
import type { MemoryCard, MergeDraftView } from '../../ipc/bindings';
import { keys } from '../../ipc/keys';
import { text } from '../../locales/en';
import { useUndo } from '../../shell/undo';
import { useMemoryActions } from './actions';
import css from './MergeDialog.module.css';

const words = text.memories;
const t = words.merging;

interface MergeProps {
  ids: readonly string[];
  onClose: () => void;
  onMerged: (id: string) => void;
}

export function MergeDialog({ ids, onClose, onMerged }: MergeProps) {
  const draft = useQuery({
    queryKey: [...keys.memories, 'merge', ids],
    queryFn: () => backend().mergeDraft([...ids]),
    retry: false,
    gcTime: 0,
    // What is being written on must not change below the hand.
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (draft.data) return <Fields draft={draft.data} onClose={onClose} onMerged={onMerged} />;
  return (
    <Dialog
      title={t.title(ids.length)}
      isOpen
      onClose={onClose}
      actions={<Button onPress={onClose}>{text.common.close}</Button>}
    >
      {draft.error ? <Failed error={draft.error} onRetry={() => void draft.refetch()} /> : null}
    </Dialog>
  );
}

function Fields(props: Omit<MergeProps, 'ids'> & { draft: MergeDraftView }) {
  const { draft, onClose, onMerged } = props;
  const [stays, setStays] = useState(draft.cards[0]?.id ?? '');
  const [content, setContent] = useState(draft.content);
  const [error, setError] = useState<string | null>(null);
  const [saving, setSaving] = useState(false);
  const actions = useMemoryActions();
  const undo = useUndo();
  const merge = async () => {
    setSaving(true);
    setError(null);
    const first = (card: MemoryCard) => (card.id === stays ? 0 : 1);
    const members = draft.cards
      .toSorted((a, b) => first(a) - first(b))
      .map(({ id, version }) => ({ id, version }));
    try {
      const merged = await actions.merge({ members, content });
      toast(t.done(members.length), { undo });
      onMerged(merged.card.id);
    } catch (failure) {
      setError(sentenceOf(failure));
      setSaving(false);
    }
  };
  return (
    <Dialog
      title={t.title(draft.cards.length)}
      isOpen
      onClose={onClose}
      isHolding={content !== draft.content}
      isWide
      actions={
        <>
          <Button onPress={onClose}>{text.common.cancel}</Button>
          <Button
            variant="primary"
            isDisabled={content.trim() === ''}
            isPending={saving}
            onPress={() => void merge()}
          >
            {t.action}
          </Button>
        </>
      }
    >
      <div className={css.fields}>
        <Select
          label={t.stays}
          value={stays}
          choices={draft.cards.map((card) => ({ id: card.id, label: nameOf(card) }))}
          onChange={setStays}
          description={t.staysHint}
        />
        <TextField label={t.text} value={content} onChange={setContent} rows={10} error={error} />
        <p className={css.effect}>{t.effect(draft.cards.length - 1)}</p>
      </div>
    </Dialog>
  );
}

function nameOf(card: MemoryCard): string {
  const day = card.created_at?.slice(0, 'YYYY-MM-DD'.length);
  const start = card.snippet.length > 60 ? `${card.snippet.slice(0, 60)}…` : card.snippet;
  return [card.id, day, start].filter(Boolean).join(' · ');
}
