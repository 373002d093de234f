/** Brings in an archive and says what became of each of its memories. */
import { useState } from 'react';
import { Dialog } from '../../components/Dialog';
import { Switch } from '../../components/fields';
import { backend } from '../../ipc/backend';
import type { ImportView } from '../../ipc/bindings';
import { text } from '../../locales/en';
import { AskFileForm, CloseButton } from './AskFileForm';
import css from './Copies.module.css';

const words = text.vault.exchange.importing;

export function ImportDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const [pending, setPending] = useState(false);
  return (
    <Dialog title={words.title} isOpen={isOpen} onClose={onClose} isHolding={pending}>
      <Importing onClose={onClose} onPending={setPending} />
    </Dialog>
  );
}

function Importing(props: { onClose: () => void; onPending: (pending: boolean) => void }) {
  const [prefer, setPrefer] = useState(false);
  const [done, setDone] = useState<ImportView | null>(null);
  if (done) {
    return (
      <>
        <Counts view={done} />
        <CloseButton label={words.close} onPress={props.onClose} />
      </>
    );
  }
  return (
    <AskFileForm
      words={words}
      onCancel={props.onClose}
      onPending={props.onPending}
      fields={
        <Switch isSelected={prefer} onChange={setPrefer}>
          {words.prefer}
        </Switch>
      }
      run={async (path, passphrase) =>
        setDone(await backend().importArchive(path, passphrase, prefer))
      }
    >
      <p>{words.text}</p>
    </AskFileForm>
  );
}

function Counts({ view }: { view: ImportView }) {
  const differing = view.differing.length;
  const rows: [string, number, (readonly string[])?][] = [
    [words.added, view.added],
    [words.known, view.known],
  ];
  if (view.forgotten > 0) rows.push([words.forgotten, view.forgotten]);
  if (differing > 0) {
    rows.push([view.replaced ? words.replaced : words.differing, differing, view.differing]);
  }
  if (view.documents > 0) rows.push([words.documents, view.documents]);
  if (view.research > 0) rows.push([words.research, view.research]);
  if (view.golden_queries > 0) rows.push([words.golden, view.golden_queries]);
  return (
    <div role="status">
      <table className={css.counts} aria-label={words.counts}>
        <tbody>
          {rows.map(([what, count, ids]) => (
            <tr key={what}>
              <th scope="row">
                {what}
                {ids && <small>{words.which(ids)}</small>}
              </th>
              <td>{text.common.number(count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
