/** Past research: listed, read in full, forgotten. */
import { useState } from 'react';
import { Button } from '../../../components/Button';
import { Confirm } from '../../../components/Confirm';
import { Dialog } from '../../../components/Dialog';
import { EmptyState } from '../../../components/EmptyState';
import { failed } from '../../../components/failure';
import { Panel } from '../../../components/Page';
import { Failed, Waiting } from '../../../components/State';
import { toast } from '../../../components/Toast';
import type { ResearchView } from '../../../ipc/bindings';
import { useForgetResearch, useResearch } from '../../../ipc/documents';
import { text } from '../../../locales/en';
import css from './Documents.module.css';

const words = text.documents;

export function Research() {
  const research = useResearch();
  const [open, setOpen] = useState<ResearchView | null>(null);
  const [doomed, setDoomed] = useState<ResearchView | null>(null);
  const held = research.data ?? [];
  return (
    <Panel title={words.research}>
      <p className={css.lead}>{words.researchLead}</p>
      {research.isPending ? <Waiting /> : null}
      {research.isError ? (
        <Failed error={research.error} onRetry={() => void research.refetch()} />
      ) : null}
      {research.data && held.length === 0 ? (
        <EmptyState title={words.researchEmpty}>{words.researchEmptyBody}</EmptyState>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard.
        <section className={css.scroll} tabIndex={0} aria-label={words.researchTable}>
          <table className={css.table}>
            <thead>
              <tr>
                <th scope="col">{words.query}</th>
                <th scope="col">{words.tokens}</th>
                <th scope="col">{words.saved}</th>
                <th scope="col">
                  <span className="visually-hidden">{words.forget}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {held.map((one) => (
                <tr key={one.key}>
                  <th scope="row">
                    <Button
                      variant="quiet"
                      aria-label={words.read(one.query)}
                      onPress={() => setOpen(one)}
                    >
                      {one.query}
                    </Button>
                    <small>{words.sources(one.sources.length)}</small>
                  </th>
                  <td>{text.common.number(one.tokens)}</td>
                  <td>{text.common.dateTime(one.saved_at)}</td>
                  <td>
                    <Button
                      variant="quiet"
                      aria-label={words.forgetNamed(one.query)}
                      onPress={() => setDoomed(one)}
                    >
                      {words.forget}
                    </Button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {open ? <Reader entry={open} onClose={() => setOpen(null)} /> : null}
      {doomed ? <Forget entry={doomed} onClose={() => setDoomed(null)} /> : null}
    </Panel>
  );
}

function Reader({ entry, onClose }: { entry: ResearchView; onClose: () => void }) {
  return (
    <Dialog
      title={entry.query}
      isOpen
      isWide
      onClose={onClose}
      actions={<Button onPress={onClose}>{words.close}</Button>}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard. */}
      <section className={css.text} tabIndex={0} aria-label={words.findings}>
        {entry.findings}
      </section>
      {entry.sources.length > 0 ? (
        <>
          <h3>{words.foundIn}</h3>
          <ul className={css.sources}>
            {entry.sources.map((source) => (
              // An address is shown and never opened: research text is as hostile as any other.
              <li key={source.url}>
                {source.title ? `${source.title} · ` : ''}
                <code>{source.url}</code>
              </li>
            ))}
          </ul>
        </>
      ) : null}
    </Dialog>
  );
}

function Forget({ entry, onClose }: { entry: ResearchView; onClose: () => void }) {
  const forget = useForgetResearch();
  return (
    <Confirm
      title={words.forgetTitle}
      action={words.forget}
      keep={words.cancel}
      isOpen
      isPending={forget.isPending}
      onClose={onClose}
      onConfirm={() =>
        forget.mutate(entry.key, {
          onSuccess: () => toast(words.forgotten),
          onError: failed,
          onSettled: onClose,
        })
      }
    >
      <p>{entry.query}</p>
      <p>{words.forgetBody}</p>
    </Confirm>
  );
}
