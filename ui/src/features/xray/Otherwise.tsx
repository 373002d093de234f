/** What to press where no constant alone brings a memory back: the best of the other ways, each tried. */
import { useMutation } from '@tanstack/react-query';
import { Button } from '../../components/Button';
import { failed } from '../../components/failure';
import { toast } from '../../components/Toast';
import { backend } from '../../ipc/backend';
import type { QueryEditView, QueryView } from '../../ipc/bindings';
import { xray } from '../../locales/en/xray';
import { useNextPress } from '../../shell/focus';
import { useUndo } from '../../shell/undo';
import { askInstead, useEdits } from './QueryEdits';
import { xrayStore } from './store';
import css from './VerdictPanel.module.css';

const t = xray.edits;

/**
 * The way that changes least: another question changes nothing that is stored, a pin can be taken
 * off, and text added to the memory comes last. Of one sort, the best rank.
 */
export function bestOf(edits: readonly QueryEditView[]): QueryEditView | undefined {
  const cost = (edit: QueryEditView) =>
    edit.query !== null ? 0 : edit.kind === 'pin' ? 1 : edit.draft ? 2 : 3;
  const possible = edits.filter((edit) => cost(edit) < 3);
  return possible.toSorted((a, b) => cost(a) - cost(b) || a.rank - b.rank)[0];
}

export function Otherwise({ view, expected }: { view: QueryView; expected: string }) {
  const { found, error } = useEdits(view, expected);
  const undo = useUndo();
  const pin = useMutation({
    mutationFn: () => backend().editMemory({ id: expected, pinned: true }),
    onSuccess: () => toast(xray.actions.pinned, { undo }),
    onError: failed,
  });
  const best = found && bestOf(found.edits);
  const button = useNextPress<HTMLButtonElement>(best !== undefined);
  if (error) return null;
  if (!found) return <p className={css.tried}>{t.trying}</p>;
  if (!best) return <p className={css.tried}>{t.none(found.tried)}</p>;
  const words = t.kinds[best.kind](best.what);
  const apply = () => {
    const { draft } = best;
    if (best.query !== null) askInstead(best.query, best.mode, expected);
    else if (draft) {
      xrayStore().openDraft({ id: expected, content: draft.content, tags: draft.tags });
    } else pin.mutate();
  };
  const [label, name] =
    best.query !== null
      ? [t.ask, t.askName(words, best.rank)]
      : best.draft
        ? [t.draft, t.draftName(words, best.rank)]
        : [t.pin, t.pinName(best.rank)];
  return (
    <li className={css.fix}>
      <span>
        {best.query === null ? words : <q>{best.query}</q>}
        <small> {best.query === null ? t.rank(best.rank) : `${words} ${t.rank(best.rank)}`}</small>
      </span>
      <span />
      <Button
        ref={button}
        variant="primary"
        aria-label={name}
        isPending={pin.isPending}
        onPress={apply}
      >
        {label}
      </Button>
    </li>
  );
}
