import { useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { Button } from '../../components/Button';
import { sentenceOf } from '../../components/failure';
import { TextField } from '../../components/fields';
import { Kbd } from '../../components/Kbd';
import { toast } from '../../components/Toast';
import type { MemoryView } from '../../ipc/bindings';
import { keys } from '../../ipc/keys';
import { text } from '../../locales/en';
import { useUndo } from '../../shell/undo';
import { useMemoryActions } from './actions';
import css from './MemoryDetail.module.css';
import { tagsOf } from './tags';

/** Length of a day in RFC 3339. */
const DAY = 'YYYY-MM-DD'.length;

/**
 * Changes text, tags and the day of expiry, from what is stored or from a draft. A refused save keeps
 * what was typed.
 */
export function MemoryEditor({
  memory,
  draft = null,
  onDone,
}: {
  memory: MemoryView;
  /** What the fields start with; null leaves one as it is stored. */
  draft?: { content: string | null; tags: readonly string[] | null } | null;
  onDone: () => void;
}) {
  const words = text.memories;
  const { card } = memory;
  const client = useQueryClient();
  const actions = useMemoryActions();
  const undo = useUndo();
  const [content, setContent] = useState(draft?.content ?? memory.content);
  const [tags, setTags] = useState((draft?.tags ?? card.tags).join(', '));
  const end = memory.expires_at?.slice(0, DAY) ?? '';
  const [expires, setExpires] = useState(end);
  const [error, setError] = useState<string | null>(null);
  const [saving, setSaving] = useState(false);
  const form = useRef<HTMLFormElement>(null);

  useEffect(() => {
    form.current?.querySelector('textarea')?.focus();
  }, []);

  const save = async () => {
    if (saving) return;
    setSaving(true);
    setError(null);
    try {
      await actions.edit({
        id: card.id,
        // After a conflict the newest version has been fetched: a second save means it.
        version: card.version,
        content: content === memory.content ? null : content,
        tags: tagsOf(tags),
        pinned: null,
        approve: null,
        expires: expires === end ? null : expires || 'never',
      });
      toast(words.saved, { undo });
      onDone();
    } catch (failure) {
      setError(sentenceOf(failure));
      void client.invalidateQueries({ queryKey: keys.ones });
    } finally {
      setSaving(false);
    }
  };
  const pressed = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void save();
    } else if (event.key === 'Escape') {
      event.stopPropagation();
      // Escape must not throw away what was written; Cancel says so in words.
      const isChanged =
        content !== memory.content || expires !== end || tagsOf(tags).join() !== card.tags.join();
      if (!isChanged) onDone();
    }
  };

  return (
    <form
      ref={form}
      className={css.editor}
      onKeyDown={pressed}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <TextField label={words.text} value={content} onChange={setContent} rows={9} error={error} />
      <TextField label={words.tags} value={tags} onChange={setTags} />
      <TextField
        type="date"
        label={words.expires}
        description={words.expiresHint}
        value={expires}
        onChange={setExpires}
      />
      <div className={css.editing}>
        <Button
          type="submit"
          variant="primary"
          isDisabled={content.trim() === ''}
          isPending={saving}
        >
          {text.common.save}
        </Button>
        <Button onPress={onDone}>{text.common.cancel}</Button>
        <Kbd keys="Mod Enter" />
      </div>
    </form>
  );
}
