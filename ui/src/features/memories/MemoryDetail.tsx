/** One memory in full, wherever it was opened from. */
import { useState } from 'react';
import { Button } from '../../components/Button';
import { CopyNumber } from '../../components/CopyNumber';
import { EmptyState } from '../../components/EmptyState';
import { failed, sentenceOf } from '../../components/failure';
import { PassageText } from '../../components/Passage';
import type { EditRequest, MemoryView } from '../../ipc/bindings';
import { useMemory } from '../../ipc/hooks';
import { text } from '../../locales/en';
import { navigate } from '../../shell/route';
import { isProgram } from '../../words/passage';
import { useMemoryActions } from './actions';
import css from './MemoryDetail.module.css';
import { MemoryEditor } from './MemoryEditor';
import { MemoryFacts } from './MemoryFacts';

export interface MemoryDetailProps {
  id: string;
  /** Marks what matched this query. */
  recall?: string | null;
  onClose?: () => void;
  /** After it went to the trash, for example to close the pane. */
  onDeleted?: () => void;
  /** Whether the editor is open; the pane keeps that itself when absent. */
  editing?: boolean;
  onEditing?: (editing: boolean) => void;
}

export function MemoryDetail(props: MemoryDetailProps) {
  const memory = useMemory(props.id, props.recall ?? null);
  if (memory.data) return <Shown key={props.id} {...props} memory={memory.data} />;
  if (memory.isError) {
    return (
      <EmptyState
        title={text.memories.notFound}
        action={<Button onPress={() => void memory.refetch()}>{text.common.retry}</Button>}
      >
        {sentenceOf(memory.error)}
      </EmptyState>
    );
  }
  return <div className={css.pane} aria-busy="true" />;
}

function Shown(props: MemoryDetailProps & { memory: MemoryView }) {
  const { memory, onClose, onDeleted } = props;
  const { card } = memory;
  const words = text.memories;
  const actions = useMemoryActions();
  const [own, setOwn] = useState(false);
  const editing = (props.editing ?? own) && memory.deleted_at === null;
  const setEditing = props.onEditing ?? setOwn;
  const change = (request: Omit<EditRequest, 'id' | 'version'>) => {
    actions
      .edit({
        id: card.id,
        version: card.version,
        content: null,
        tags: null,
        pinned: null,
        approve: null,
        expires: null,
        ...request,
      })
      .catch(failed);
  };

  return (
    <article className={css.pane} aria-label={`${words.facts.id} ${card.id}`}>
      <header className={css.header}>
        <span className={css.who}>
          <b>{card.agent}</b> {card.role}
          {card.tool_name && <> · {card.tool_name}</>}
        </span>
        <span className={css.actions}>
          {memory.deleted_at === null ? (
            <>
              <Button onPress={() => setEditing(!editing)}>{words.edit}</Button>
              <Button onPress={() => change({ pinned: !card.pinned })}>
                {card.pinned ? words.unpin : words.pin}
              </Button>
              <Button
                variant="danger"
                onPress={() => void actions.remove([card.id]).then(onDeleted)}
              >
                {words.delete}
              </Button>
            </>
          ) : (
            <Button onPress={() => void actions.restore([card.id]).then(onDeleted)}>
              {words.restore}
            </Button>
          )}
          {onClose && (
            <Button variant="quiet" aria-label={words.close} onPress={onClose}>
              ×
            </Button>
          )}
        </span>
      </header>

      {card.trust === 'flagged' && (
        <div className={css.flagged} role="note">
          <span>{words.flagged}</span>
          <Button onPress={() => change({ approve: true })}>{words.approve}</Button>
        </div>
      )}

      {memory.expired && (
        <div className={css.expired} role="note">
          <span>{words.hasExpired(text.common.dateTime(memory.expires_at))}</span>
          {memory.deleted_at === null && (
            <Button onPress={() => change({ expires: 'never' })}>{words.noEnd}</Button>
          )}
        </div>
      )}

      <div className={css.scroll}>
        {editing ? (
          <MemoryEditor memory={memory} onDone={() => setEditing(false)} />
        ) : (
          <>
            <div className={css.content} data-content>
              <PassageText
                text={memory.content}
                marks={memory.highlights}
                code={isProgram(card.kind)}
              />
            </div>
            {memory.tool_payload && (
              <details className={css.more}>
                <summary>{words.arguments}</summary>
                <pre>
                  <PassageText text={memory.tool_payload} code />
                </pre>
              </details>
            )}
          </>
        )}
        <Provenance memory={memory} />
        <Near memory={memory} />
        <Sightings memory={memory} />
        <MemoryFacts memory={memory} />
        {memory.history.length > 0 && (
          <details className={css.more}>
            <summary>{words.history(memory.history.length)}</summary>
            {memory.history.map((version) => (
              <section key={version.version} className={css.version}>
                <h4>
                  {version.version} · {words.replacedAt(text.common.dateTime(version.replaced_at))}
                </h4>
                <p className={css.content}>{version.content}</p>
              </section>
            ))}
          </details>
        )}
        {memory.deleted_at === null && (
          <Button variant="quiet" onPress={() => navigate('xray', { expect: card.id })}>
            {words.askXray}
          </Button>
        )}
      </div>
    </article>
  );
}

/** What it is linked to as a near duplicate, one press away. */
function Near({ memory }: { memory: MemoryView }) {
  const words = text.memories.near;
  if (memory.near.length === 0) return null;
  return (
    <details className={css.more} open={memory.near.length <= 3}>
      <summary>{words.linked}</summary>
      <ul className={css.sightings}>
        {memory.near.map(({ id, similarity, first }) => (
          <li key={id}>
            <Button variant="quiet" onPress={() => navigate('memories', { id })}>
              {first ? words.saidBy(id, similarity) : words.saidAgain(id, similarity)}
            </Button>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Every time that it was said again: when, in which conversation, on which line. */
function Sightings({ memory }: { memory: MemoryView }) {
  const words = text.memories;
  if (memory.sightings.length === 0) return null;
  return (
    <details className={css.more} open={memory.sightings.length <= 3}>
      <summary>{words.saidAgain(memory.sightings.length)}</summary>
      <ul className={css.sightings}>
        {memory.sightings.map((one, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they have no names, and the list never changes its order.
          <li key={index}>
            {text.common.dateTime(one.at)}
            {one.session === null ? null : ` · ${words.inSession(one.session)}`}
            {one.path === null ? null : (
              <>
                {' · '}
                <CopyNumber
                  shown={one.line === null ? one.path : `${one.path}:${one.line}`}
                  label={words.facts.source}
                />
              </>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** The log line it came from, ready to be pasted into an editor. */
function Provenance({ memory }: { memory: MemoryView }) {
  if (memory.path === null) return null;
  const where = memory.line === null ? memory.path : `${memory.path}:${memory.line}`;
  return (
    <p className={css.source}>
      {text.memories.from_log} <CopyNumber shown={where} label={text.memories.facts.source} />
    </p>
  );
}
