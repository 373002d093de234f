/** What to press where no constant alone brings a memory back: the best of the other ways, each tried. */
import { useMutation } from '@tanstack/react-query';
import { Fragment } from 'react';
import { Button } from '../../components/Button';
import { failed } from '../../components/failure';
import { toast } from '../../components/Toast';
import { backend } from '../../ipc/backend';
import type { PairView, QueryEditView, QueryView } from '../../ipc/bindings';
import { signed } from '../../locales/en/format';
import { named, xray } from '../../locales/en/xray';
import { useNextPress } from '../../shell/focus';
import { useUndo } from '../../shell/undo';
import { described, shown } from '../../words/constants';
import { askInstead, useEdits } from './QueryEdits';
import { xrayStore } from './store';
import { type Trial, usePair, useTrial } from './trials';
import css from './VerdictPanel.module.css';

const t = xray.edits;

/**
 * The way that changes least: another question changes nothing that is stored, a filter leaves others
 * out, a pin can be taken off, and text added to the memory comes last. Of one sort, the best rank.
 */
export function bestOf(edits: readonly QueryEditView[]): QueryEditView | undefined {
  const cost = (edit: QueryEditView) => {
    if (edit.query !== null) return edit.kind === 'narrow' ? 1 : 0;
    return edit.kind === 'pin' ? 2 : edit.draft ? 3 : 4;
  };
  const possible = edits.filter((edit) => cost(edit) < 4);
  return possible.toSorted((a, b) => cost(a) - cost(b) || a.rank - b.rank)[0];
}

/** A setting that brings it in; one press sets it, and Ctrl Z takes it back. */
function Setting({ trial }: { trial: Trial }) {
  const button = useNextPress<HTMLButtonElement>();
  const store = xrayStore();
  const [label, value] =
    trial.kind === 'preset'
      ? [xray.query.preset, trial.preset.name]
      : described(trial.name, trial.value);
  const apply = () => {
    if (trial.kind === 'preset') store.tryPreset(trial.preset);
    else store.tryOut(trial.name, trial.value);
  };
  return (
    <li className={css.fix}>
      <span>
        {label} <code>{value}</code>
      </span>
      <span />
      <Button
        ref={button}
        variant="primary"
        aria-label={xray.verdict.tryNamed(label, value)}
        onPress={apply}
      >
        {xray.verdict.try}
      </Button>
    </li>
  );
}

/** Two constants that bring it in together; one press sets both, and Ctrl Z takes both back. */
function Together({ pair }: { pair: PairView }) {
  const button = useNextPress<HTMLButtonElement>();
  const both = pair.parts.map((part) => ({
    ...part,
    label: named(xray.sliders.names, part.constant),
    written: shown(part.constant, part.value),
  }));
  const apply = () =>
    xrayStore().tryTogether(
      Object.fromEntries(pair.parts.map(({ constant, value }) => [constant, value])),
    );
  const judged = pair.ndcg_delta === null ? null : signed(pair.ndcg_delta);
  return (
    <li className={css.fix}>
      <span>
        {both.map(({ constant, label, written }, at) => (
          <Fragment key={constant}>
            {at > 0 ? xray.verdict.together : null}
            {label} <code>{written}</code>
          </Fragment>
        ))}
        <small>
          {' '}
          {t.rank(pair.rank)} {t.pushes(pair.displaced)}
        </small>
      </span>
      <span
        className={css.collateral}
        title={judged ? xray.verdict.collateralHelp(judged) : undefined}
      >
        {judged ? xray.verdict.collateral(pair.gained, pair.lost) : ''}
      </span>
      <Button
        ref={button}
        variant="primary"
        aria-label={xray.verdict.tryBothNamed(
          both.map(({ label, written }) => `${label} ${written}`).join(xray.verdict.together),
        )}
        onPress={apply}
      >
        {xray.verdict.tryBoth}
      </Button>
    </li>
  );
}

export function Otherwise({ view, expected }: { view: QueryView; expected: string }) {
  const pair = usePair(view, expected);
  const { found, error } = useEdits(view, expected);
  const undo = useUndo();
  const pin = useMutation({
    mutationFn: () => backend().editMemory({ id: expected, pinned: true }),
    onSuccess: () => toast(xray.actions.pinned, { undo }),
    onError: failed,
  });
  const best = found && bestOf(found.edits);
  // What changes neither what is stored nor the question comes before what does.
  const wanted = !pair.isPending && !pair.data && found !== undefined && best?.query == null;
  const trial = useTrial(view, expected, wanted);
  const settled = !pair.isPending && found !== undefined && !(wanted && trial.isPending);
  const button = useNextPress<HTMLButtonElement>(settled && best !== undefined && !trial.data);
  if (pair.data) return <Together pair={pair.data} />;
  if (error) return null;
  if (!settled) return <p className={css.tried}>{t.trying}</p>;
  if (wanted && trial.data) return <Setting trial={trial.data} />;
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
