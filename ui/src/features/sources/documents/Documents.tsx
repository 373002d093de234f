/** The documents of the vault: a list, a search over their chunks, and taking another one in. */
import { useDeferredValue, useState } from 'react';
import { Button } from '../../../components/Button';
import { Confirm } from '../../../components/Confirm';
import { Dialog } from '../../../components/Dialog';
import { EmptyState } from '../../../components/EmptyState';
import { failed } from '../../../components/failure';
import { SearchField } from '../../../components/fields';
import { Highlighted } from '../../../components/Highlighted';
import { Column, Columns, Panel } from '../../../components/Page';
import { Failed, Waiting } from '../../../components/State';
import { toast } from '../../../components/Toast';
import type { DocumentView } from '../../../ipc/bindings';
import {
  useDeleteDocument,
  useDocument,
  useDocumentSearch,
  useDocuments,
} from '../../../ipc/documents';
import { text } from '../../../locales/en';
import { AddDocument } from './AddDocument';
import css from './Documents.module.css';

const words = text.documents;

export function Documents() {
  const documents = useDocuments();
  const [open, setOpen] = useState<string | null>(null);
  const [query, setQuery] = useState('');
  const held = documents.data ?? [];
  return (
    <Columns>
      <Column>
        <Panel title={words.listTitle}>
          {documents.isPending ? <Waiting /> : null}
          {documents.isError ? (
            <Failed error={documents.error} onRetry={() => void documents.refetch()} />
          ) : null}
          {documents.data && held.length === 0 ? (
            <EmptyState title={words.emptyTitle}>{words.emptyBody}</EmptyState>
          ) : (
            <>
              <p className={css.lead}>{words.lead}</p>
              <SearchField
                label={words.search}
                placeholder={words.search}
                value={query}
                onChange={setQuery}
              />
              {query.trim() === '' ? (
                <List documents={held} onOpen={setOpen} />
              ) : (
                <Found query={query} onOpen={setOpen} />
              )}
            </>
          )}
        </Panel>
      </Column>
      <Column>
        <AddDocument />
      </Column>
      {open === null ? null : <Reader id={open} onClose={() => setOpen(null)} />}
    </Columns>
  );
}

function List(props: { documents: readonly DocumentView[]; onOpen: (id: string) => void }) {
  const [doomed, setDoomed] = useState<string | null>(null);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard.
    <section className={css.scroll} tabIndex={0} aria-label={words.table}>
      <table className={css.table}>
        <thead>
          <tr>
            <th scope="col">{words.id}</th>
            <th scope="col">{words.chunks}</th>
            <th scope="col">{words.size}</th>
            <th scope="col">{words.when}</th>
            <th scope="col">
              <span className="visually-hidden">{words.remove}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {props.documents.map((one) => (
            <tr key={one.id}>
              <th scope="row">
                <Button
                  variant="quiet"
                  aria-label={words.read(one.id)}
                  onPress={() => props.onOpen(one.id)}
                >
                  {one.id}
                </Button>
                {one.title ? <small>{one.title}</small> : null}
              </th>
              <td>{text.common.number(one.chunks)}</td>
              <td>{text.common.number(one.characters)}</td>
              <td>{text.common.dateTime(one.ingested_at)}</td>
              <td>
                <Button
                  variant="quiet"
                  aria-label={words.removeNamed(one.id)}
                  onPress={() => setDoomed(one.id)}
                >
                  {words.remove}
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {doomed === null ? null : <Remove id={doomed} onClose={() => setDoomed(null)} />}
    </section>
  );
}

function Remove({ id, onClose }: { id: string; onClose: () => void }) {
  const remove = useDeleteDocument();
  return (
    <Confirm
      title={words.removeTitle(id)}
      action={words.remove}
      keep={words.cancel}
      isOpen
      isPending={remove.isPending}
      onClose={onClose}
      onConfirm={() =>
        remove.mutate(id, {
          onSuccess: () => toast(words.removed(id)),
          onError: failed,
          onSettled: onClose,
        })
      }
    >
      <p>{words.removeBody}</p>
    </Confirm>
  );
}

function Found({ query, onOpen }: { query: string; onOpen: (id: string) => void }) {
  const asked = useDeferredValue(query);
  const answer = useDocumentSearch(asked);
  if (answer.isError) {
    return <Failed error={answer.error} onRetry={() => void answer.refetch()} />;
  }
  if (!answer.data) return <p className={css.lead}>{words.searching}</p>;
  const { lookup, texts } = answer.data;
  if (lookup.status === 'failed') {
    return <p role="alert">{words.failed(lookup.reason ?? '')}</p>;
  }
  if (lookup.hits.length === 0) return <p role="status">{words.none(asked)}</p>;
  return (
    <>
      <p role="status">{words.found(lookup.hits.length)}</p>
      <ol className={css.found} aria-label={words.results}>
        {lookup.hits.map((hit, at) => {
          const chunk = texts[at];
          return (
            <li key={hit.id}>
              <Button
                variant="quiet"
                aria-label={words.read(hit.document)}
                onPress={() => onOpen(hit.document)}
              >
                {words.place(chunk?.title || hit.document, hit.chunk + 1, hit.chunks)}
              </Button>
              {chunk ? (
                <p>
                  <Highlighted text={chunk.snippet} marks={chunk.highlights} />
                </p>
              ) : null}
            </li>
          );
        })}
      </ol>
    </>
  );
}

function Reader({ id, onClose }: { id: string; onClose: () => void }) {
  const document = useDocument(id);
  return (
    <Dialog
      title={document.data?.document.title || id}
      isOpen
      isWide
      onClose={onClose}
      actions={<Button onPress={onClose}>{words.close}</Button>}
    >
      {document.isPending ? <Waiting /> : null}
      {document.isError ? (
        <Failed error={document.error} onRetry={() => void document.refetch()} />
      ) : null}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard. */}
      <section className={css.text} tabIndex={0} aria-label={words.text}>
        {document.data?.content}
      </section>
    </Dialog>
  );
}
