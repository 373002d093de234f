/** What lies on the disk, for whoever wants to see that it says nothing. */
import { useState } from 'react';
import { Form } from 'react-aria-components/Form';
import { Button } from '../../components/Button';
import { sentenceOf } from '../../components/failure';
import { TextField } from '../../components/fields';
import { Panel } from '../../components/Page';
import { Progress } from '../../components/Progress';
import { Failed, Waiting } from '../../components/State';
import { backend, EdgeFailure } from '../../ipc/backend';
import type { FileOnDiskView, ProofView } from '../../ipc/bindings';
import { useFilesOnDisk } from '../../ipc/vault';
import { text } from '../../locales/en';
import { PLACES } from '../../shell/book';
import { HelpMark } from '../../shell/HelpMark';
import { useAct } from './act';
import { byteLines } from './bytes';
import css from './Proof.module.css';

const words = text.vault.proof;

export function Proof() {
  const files = useFilesOnDisk();
  return (
    <Panel title={words.title} mark={<HelpMark place={PLACES.proof} about={words.title} />}>
      <p>{words.lead}</p>
      {files.error ? (
        <Failed error={files.error} onRetry={() => void files.refetch()} />
      ) : files.data ? (
        <ul className={css.files}>
          {files.data.map((file) => (
            <FileHead key={file.name} file={file} />
          ))}
        </ul>
      ) : (
        <Waiting />
      )}
      <WordSearch />
    </Panel>
  );
}

/** Lines of a file's beginning that are shown. */
const LINES = 2;

function FileHead({ file }: { file: FileOnDiskView }) {
  return (
    <li className={css.file}>
      <p>
        <b>{file.name}</b> <span>{text.common.bytes(file.bytes)}</span>
        <small>{words.files[file.name]}</small>
      </p>
      {file.head === '' ? (
        <small>{words.empty}</small>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        <pre aria-label={words.bytesOf(file.name)} role="img" tabIndex={0}>
          {byteLines(file.head)
            .slice(0, LINES)
            .map(({ hex, letters }) => `${hex}  ${letters}`)
            .join('\n')}
        </pre>
      )}
    </li>
  );
}

function WordSearch() {
  const [word, setWord] = useState('');
  const [found, setFound] = useState<ProofView | null>(null);
  const act = useAct();
  const search = () =>
    void act.run(async () => {
      setFound(null);
      setFound(await backend().prove(word));
    });
  return (
    <Form
      className={css.search ?? ''}
      onSubmit={(event) => {
        event.preventDefault();
        if (word.trim() !== '') search();
      }}
    >
      <div className={css.row}>
        <TextField
          label={words.word}
          value={word}
          onChange={(next) => {
            setWord(next);
            setFound(null);
            act.clear();
          }}
          error={act.error === null ? null : said(act.error)}
        />
        <Button type="submit" isDisabled={word.trim() === ''} isPending={act.pending}>
          {words.search}
        </Button>
      </div>
      {act.error === null && <p className={css.hint}>{words.hint}</p>}
      {act.pending && <Progress label={words.working} value={0} total={null} />}
      <div role="status">{found && <Found view={found} />}</div>
    </Form>
  );
}

/** The only value that this can refuse is a word that is too short. */
function said(error: unknown): string {
  const isShort = error instanceof EdgeFailure && error.edge.code === 'bad_request';
  return isShort ? words.tooShort : sentenceOf(error);
}

function Found({ view }: { view: ProofView }) {
  const times = view.files.reduce((sum, file) => sum + file.found, 0);
  const bytes = view.files.reduce((sum, file) => sum + file.bytes, 0);
  const where =
    times === 0
      ? words.nowhere(text.common.bytes(bytes), view.files.length)
      : words.somewhere(times);
  return (
    <div className={css.found} data-clean={times === 0 || undefined}>
      <p>
        {words.stored(view.memories)} {where}
      </p>
      {times > 0 && (
        <ul>
          {view.files
            .filter((file) => file.found > 0)
            .map((file) => (
              <li key={file.name}>{words.inFile(file.name, file.found)}</li>
            ))}
        </ul>
      )}
      {times === 0 && view.memories === 0 && <p>{words.saysLittle}</p>}
    </div>
  );
}
