/** What says nearly the same, and what may contradict each other, to be settled one by one. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../components/Button';
import { EmptyState } from '../../components/EmptyState';
import { failed } from '../../components/failure';
import { Slider } from '../../components/Slider';
import { Failed, Waiting } from '../../components/State';
import { toast } from '../../components/Toast';
import { backend } from '../../ipc/backend';
import type {
  ContradictionView,
  DuplicateGroupView,
  DuplicatesView,
  MemoryCard,
} from '../../ipc/bindings';
import { keys } from '../../ipc/keys';
import { text } from '../../locales/en';
import { useMemoryActions } from './actions';
import css from './Duplicates.module.css';
import { MergeDialog } from './MergeDialog';

const words = text.memories.near;

/** The cosines that can be asked about; as in the core. */
const [LOW, HIGH, STEP] = [0.8, 1, 0.01];

const STANDARD = 0.95;

interface Acts {
  onOpen: (id: string) => void;
  onMerge: (ids: string[]) => void;
  onKeep: (ids: string[]) => void;
}

/** How many pairs a cosine links. */
function pairsAt({ joined }: DuplicatesView, at: number): number {
  return joined.find((one) => Math.abs(one.at - at) < STEP / 2)?.pairs ?? 0;
}

export function Duplicates({ onOpen }: { onOpen: (id: string) => void }) {
  const client = useQueryClient();
  const [at, setAt] = useState<number | null>(null);
  const [asked, setAsked] = useState<number | null>(null);
  const [merging, setMerging] = useState<string[] | null>(null);
  const actions = useMemoryActions();
  const found = useQuery({
    queryKey: keys.duplicates(asked),
    queryFn: () => backend().duplicates(asked),
    // While another cosine is asked about, what stands stays readable.
    placeholderData: (held) => held,
  });
  const refresh = () => void client.invalidateQueries({ queryKey: keys.memories });
  const attempt = (work: Promise<unknown>) => void work.catch(failed).finally(refresh);
  const join = (ids: string[]) =>
    attempt(
      backend()
        .letJoin(ids)
        .then(({ pairs }) => toast(words.joined(pairs))),
    );
  const keep = (ids: string[]) =>
    attempt(
      backend()
        .keepApart(ids)
        .then(({ pairs }) => toast(words.kept(pairs), { undo: () => join(ids) })),
    );
  if (found.error) {
    return (
      <div className={css.state}>
        <Failed error={found.error} onRetry={() => void found.refetch()} />
      </div>
    );
  }
  const view = found.data;
  if (!view) {
    return (
      <div className={css.state}>
        <Waiting words={words.looking} />
      </div>
    );
  }
  if (view.of === 0) {
    return <EmptyState title={words.noVectors}>{words.noVectorsBody}</EmptyState>;
  }
  const wanted = at ?? view.at;
  const use = () =>
    attempt(
      backend()
        .setNearDuplicate(wanted)
        .then(() => toast(words.used(wanted))),
    );
  const acts: Acts = { onOpen, onMerge: setMerging, onKeep: keep };
  return (
    <section className={css.list} aria-label={words.list}>
      <div className={css.head}>
        <Slider
          label={words.from}
          value={wanted}
          min={LOW}
          max={HIGH}
          step={STEP}
          defaultValue={STANDARD}
          format={(value) => value.toFixed(2)}
          note={words.joins(wanted, pairsAt(view, wanted))}
          onChange={setAt}
          onCommit={setAsked}
        />
        <div className={css.force}>
          <span>{words.inForce(view.in_force)}</span>
          {Math.abs(wanted - view.in_force) < STEP / 2 ? null : (
            <Button onPress={use}>{words.use(wanted)}</Button>
          )}
        </div>
        <p>{words.hint}</p>
        {view.kept > 0 || view.compared < view.of ? (
          <p>
            {[
              view.kept > 0 ? words.keptBefore(view.kept) : '',
              view.compared < view.of ? words.partial(view.compared, view.of) : '',
            ]
              .filter(Boolean)
              .join(' · ')}
          </p>
        ) : null}
      </div>
      {view.group_count + view.contradiction_count === 0 ? (
        <EmptyState title={words.none}>{words.noneBody(view.at)}</EmptyState>
      ) : null}
      {view.contradictions.length > 0 ? (
        <section>
          <h2>
            {words.contradictions(view.contradiction_count)}
            <Shown shown={view.contradictions.length} of={view.contradiction_count} />
          </h2>
          {view.contradictions.map((pair) => (
            <Contradiction
              key={`${pair.older.id} ${pair.newer.id}`}
              pair={pair}
              {...acts}
              onSupersede={() => void actions.remove([pair.older.id])}
            />
          ))}
        </section>
      ) : null}
      {view.groups.length > 0 ? (
        <section>
          <h2>
            {words.groups(view.group_count)}
            <Shown shown={view.groups.length} of={view.group_count} />
          </h2>
          {view.groups.map((group) => (
            <Group key={group.cards[0]?.id} group={group} {...acts} />
          ))}
        </section>
      ) : null}
      {merging ? (
        <MergeDialog
          ids={merging}
          onClose={() => setMerging(null)}
          onMerged={(id) => {
            setMerging(null);
            onOpen(id);
          }}
        />
      ) : null}
    </section>
  );
}

function Shown({ shown, of }: { shown: number; of: number }) {
  return shown < of ? <small>{words.shown(shown, of)}</small> : null;
}

function Group({ group, onOpen, onMerge, onKeep }: { group: DuplicateGroupView } & Acts) {
  const ids = group.cards.map(({ id }) => id);
  const rest = group.count - group.cards.length;
  return (
    <article className={css.item}>
      <h3>{words.group(group.count, group.similarity)}</h3>
      <div className={css.cards}>
        {group.cards.map((card) => (
          <Card key={card.id} card={card} onOpen={onOpen} />
        ))}
      </div>
      {rest > 0 ? <p>{words.more(rest)}</p> : null}
      <div className={css.acts}>
        <Button onPress={() => onMerge(ids)}>{words.merge}</Button>
        <Button onPress={() => onKeep(ids)}>{ids.length === 2 ? words.keep : words.keepAll}</Button>
      </div>
    </article>
  );
}

function Contradiction(props: { pair: ContradictionView; onSupersede: () => void } & Acts) {
  const { pair, onOpen } = props;
  const ids = [pair.older.id, pair.newer.id];
  return (
    <article className={css.item}>
      <h3>{words.differ(pair.apart, pair.similarity)}</h3>
      <div className={css.pair}>
        <Card card={pair.older} label={words.older} onOpen={onOpen} />
        <Card card={pair.newer} label={words.newer} onOpen={onOpen} />
      </div>
      <div className={css.acts}>
        <Button onPress={props.onSupersede}>{words.supersede}</Button>
        <Button onPress={() => props.onMerge(ids)}>{words.merge}</Button>
        <Button onPress={() => props.onKeep(ids)}>{words.keep}</Button>
      </div>
    </article>
  );
}

function Card(props: { card: MemoryCard; label?: string; onOpen: (id: string) => void }) {
  const { card, label } = props;
  const facts = [label, card.agent, card.role, text.common.age(card.age_days), card.source];
  return (
    <button type="button" className={css.card} onClick={() => props.onOpen(card.id)}>
      <span className={css.text}>{card.snippet}</span>
      <span className={css.facts}>
        <b>{card.id}</b> {facts.filter(Boolean).join(' · ')}
      </span>
    </button>
  );
}
