import { useState } from 'react';
import { Button } from '../../components/Button';
import { Confirm } from '../../components/Confirm';
import { Progress } from '../../components/Progress';
import { text } from '../../locales/en';
import { useMemoryActions } from './actions';
import { MergeDialog } from './MergeDialog';
import css from './SelectionBar.module.css';
import type { Selection } from './selection';

/** The actions for what is selected; appears with a selection. */
export function SelectionBar(props: {
  selection: Selection;
  trash: boolean;
  onDone: (ids: string[]) => void;
  onMerged: (id: string) => void;
}) {
  const { selection, trash, onDone, onMerged } = props;
  const words = text.memories;
  const actions = useMemoryActions();
  const [purging, setPurging] = useState(false);
  const [merging, setMerging] = useState(false);
  const ids = [...selection.ids];
  if (selection.gathering) {
    const { done, total } = selection.gathering;
    return (
      <div className={css.bar} role="toolbar" aria-label={words.gathering}>
        <div className={css.gathering}>
          <Progress
            label={words.gathering}
            value={done}
            total={total}
            note={words.gathered(text.common.number(done), text.common.number(total))}
          />
        </div>
        <Button onPress={selection.clear}>{words.stopGathering}</Button>
      </div>
    );
  }
  if (ids.length === 0) return null;
  const act = (work: (ids: string[]) => Promise<void>) => () => {
    selection.clear();
    void work(ids).then(() => onDone(ids));
  };
  return (
    <div className={css.bar} role="toolbar" aria-label={words.selected(ids.length)}>
      <b>{words.selected(ids.length)}</b>
      {trash ? (
        <>
          <Button onPress={act(actions.restore)}>{words.restore}</Button>
          <Button variant="danger" onPress={() => setPurging(true)}>
            {words.purge}
          </Button>
        </>
      ) : (
        <>
          {ids.length > 1 ? <Button onPress={() => setMerging(true)}>{words.merge}</Button> : null}
          <Button variant="danger" onPress={act(actions.remove)}>
            {words.delete}
          </Button>
        </>
      )}
      <Button variant="quiet" onPress={selection.clear}>
        {words.clearSelection}
      </Button>
      {merging ? (
        <MergeDialog
          ids={ids}
          onClose={() => setMerging(false)}
          onMerged={(id) => {
            setMerging(false);
            selection.clear();
            onMerged(id);
          }}
        />
      ) : null}
      <Confirm
        title={words.purgeTitle(ids.length)}
        action={words.purge}
        keep={text.common.cancel}
        isOpen={purging}
        onClose={() => setPurging(false)}
        onConfirm={() => {
          setPurging(false);
          act(actions.purge)();
        }}
      >
        {words.purgeBody}
      </Confirm>
    </div>
  );
}
