/** Takes a document in: a file on this machine, or pasted text. */
import { useState } from 'react';
import { Form } from 'react-aria-components/Form';
import { Button } from '../../../components/Button';
import { failed, sentenceOf } from '../../../components/failure';
import { Select, TextField } from '../../../components/fields';
import { Panel } from '../../../components/Page';
import { toast } from '../../../components/Toast';
import { backend } from '../../../ipc/backend';
import { useStoreDocument } from '../../../ipc/documents';
import { text } from '../../../locales/en';
import css from './Documents.module.css';

const words = text.documents;

export function AddDocument() {
  const store = useStoreDocument();
  const [from, setFrom] = useState<'file' | 'pasted'>('file');
  const [path, setPath] = useState('');
  const [id, setId] = useState('');
  const [title, setTitle] = useState('');
  const [content, setContent] = useState('');
  const browse = async () => {
    try {
      const picked = await backend().pickFile(words.browseTitle);
      if (picked !== null) setPath(picked);
    } catch (error) {
      failed(error);
    }
  };
  const ready = from === 'file' ? path.trim() !== '' : id.trim() !== '' && content.trim() !== '';
  const add = () => {
    if (!ready) return;
    const request = from === 'file' ? { path: path.trim(), id, title } : { id, title, content };
    store.mutate(request, {
      onSuccess: ({ outcome, secrets_masked, document }) => {
        const said = words.outcomes[outcome](document.id, document.chunks);
        toast(secrets_masked ? `${said}; ${words.masked}` : said);
        for (const empty of [setPath, setId, setTitle, setContent]) empty('');
      },
    });
  };
  return (
    <Panel title={words.addTitle}>
      <Form
        className={css.form ?? ''}
        onSubmit={(event) => {
          event.preventDefault();
          add();
        }}
      >
        <Select
          label={words.from}
          value={from}
          choices={[
            { id: 'file', label: words.file },
            { id: 'pasted', label: words.pasted },
          ]}
          onChange={(next) => {
            store.reset();
            setFrom(next as typeof from);
          }}
        />
        {from === 'file' ? (
          <div className={css.path}>
            <TextField
              label={words.path}
              placeholder={words.pathPlaceholder}
              value={path}
              onChange={setPath}
            />
            <Button onPress={() => void browse()}>{words.browse}</Button>
          </div>
        ) : (
          <TextField label={words.text} rows={8} value={content} onChange={setContent} />
        )}
        <div className={css.pair}>
          <TextField
            label={words.id}
            value={id}
            onChange={setId}
            description={from === 'file' ? words.idHintFile : words.idHint}
          />
          <TextField label={words.title} value={title} onChange={setTitle} />
        </div>
        <div>
          <Button type="submit" variant="primary" isDisabled={!ready} isPending={store.isPending}>
            {words.add}
          </Button>
        </div>
        {store.error ? <p role="alert">{sentenceOf(store.error)}</p> : null}
      </Form>
    </Panel>
  );
}
