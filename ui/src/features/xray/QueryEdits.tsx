/** Other questions that would have found the memory, and changes of it; each was tried first. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Button } from '../../components/Button';
import { failed } from '../../components/failure';
import { toast } from '../../components/Toast';
import { backend } from '../../ipc/backend';
import type { DraftView, Mode, QueryEditView, QueryView } from '../../ipc/bindings';
import { keys } from '../../ipc/keys';
import { xray } from '../../locales/en/xray';
import { xrayStore } from './store';
import css from './VerdictPanel.module.css';

const t = xray.edits;

/** How long the answer rests before other questions are asked. */
export const REST_MS = 800;

/** Other questions and changes of a memory, each tried once the answer has stood still. */
export function useEdits(view: QueryView, expected: string) {
  const { request, isResting } = useRestingRequest(view, expected);
  const asked = useQuery({
    queryKey: keys.queryEdits(request.recall, request),
    queryFn: () => backend().queryEdits(request),
    enabled: isResting,
    retry: false,
    gcTime: 30_000,
  });
  return { found: asked.data, error: asked.error, isFetching: asked.isFetching };
}

export function QueryEdits({ view, expected }: { view: QueryView; expected: string }) {
  const { found, error, isFetching } = useEdits(view, expected);
  if (error) return null;
  const questions = found?.edits.filter((edit) => edit.query !== null) ?? [];
  const changes = found?.edits.filter((edit) => edit.query === null) ?? [];
  return (
    <section className={css.fixes} aria-label={t.title} aria-busy={isFetching}>
      <h3>{t.title}</h3>
      {found ? (
        <>
          <ul className={css.edits}>
            {questions.map((edit) => (
              <Question key={`${edit.kind} ${edit.what}`} edit={edit} expected={expected} />
            ))}
            {changes.map((edit) =>
              edit.draft ? (
                <TextChange
                  key={`${edit.kind} ${edit.what}`}
                  edit={edit}
                  draft={edit.draft}
                  id={expected}
                />
              ) : (
                <MemoryChange key={edit.kind} edit={edit} id={expected} />
              ),
            )}
          </ul>
          <p className={css.tried}>
            {found.edits.length === 0 ? t.none(found.tried) : t.tried(found.tried)}
            {found.untried > 0 ? ` ${t.untried(found.untried)}` : ''}
          </p>
        </>
      ) : (
        <p className={css.tried}>{t.trying}</p>
      )}
    </section>
  );
}

/** Asks in other words and offers the way back. */
export function askInstead(query: string, mode: Mode, expected: string): void {
  xrayStore().askInstead(query, mode, expected);
  toast(t.asked(query), { undo: () => void xrayStore().unapply() });
}

function Question({ edit, expected }: { edit: QueryEditView; expected: string }) {
  const words = t.kinds[edit.kind](edit.what);
  return (
    <li className={css.edit}>
      <span title={edit.query ?? undefined}>{words}</span>
      <b>{t.rank(edit.rank)}</b>
      <Button
        aria-label={t.askName(words, edit.rank)}
        onPress={() => askInstead(edit.query ?? '', edit.mode, expected)}
      >
        {t.ask}
      </Button>
    </li>
  );
}

/** Text and tags are changed in the editor, where the person sees the draft and saves it, or not. */
function TextChange(props: { edit: QueryEditView; draft: DraftView; id: string }) {
  const { edit, draft, id } = props;
  const words = t.kinds[edit.kind](edit.what);
  return (
    <li className={css.edit}>
      <span>
        {words}
        <small>{t.costs(draft)}</small>
      </span>
      <b>{t.rank(edit.rank)}</b>
      <Button
        aria-label={t.draftName(words, edit.rank)}
        onPress={() => xrayStore().openDraft({ id, content: draft.content, tags: draft.tags })}
      >
        {t.draft}
      </Button>
    </li>
  );
}

/** Only pinning can be done from here; a date comes from the log. */
function MemoryChange({ edit, id }: { edit: QueryEditView; id: string }) {
  const pin = useMutation({
    mutationFn: () => backend().editMemory({ id, pinned: true }),
    onError: failed,
  });
  const words = t.kinds[edit.kind](edit.what);
  return (
    <li className={css.edit}>
      <span>{words}</span>
      <b>{t.rank(edit.rank)}</b>
      {edit.kind === 'pin' ? (
        <Button
          aria-label={t.pinName(edit.rank)}
          isPending={pin.isPending}
          onPress={() => pin.mutate()}
        >
          {t.pin}
        </Button>
      ) : null}
    </li>
  );
}

/** What is asked about the answer and a memory, and whether the answer has stood still. */
export function useRestingRequest(view: QueryView, expected: string) {
  const { recall, trace } = useResting(view);
  return {
    request: { recall, expected, constants: trace.constants, now: trace.now },
    isResting: recall === view.recall,
  };
}

/** The answer once it has stood still, so that a moving slider asks nothing. */
function useResting(view: QueryView): QueryView {
  const [held, setHeld] = useState(view);
  useEffect(() => {
    const timer = setTimeout(() => setHeld(view), REST_MS);
    return () => clearTimeout(timer);
  }, [view]);
  return held;
}
