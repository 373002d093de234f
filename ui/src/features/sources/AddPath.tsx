import { useState } from 'react';
import { Form } from 'react-aria-components/Form';
import { Button } from '../../components/Button';
import { failed } from '../../components/failure';
import { TextField } from '../../components/fields';
import { Panel } from '../../components/Page';
import { backend } from '../../ipc/backend';
import { text } from '../../locales/en';
import css from './SourcesSection.module.css';

/** Any other path, typed or chosen in the system's dialog. */
export function AddPath(props: { onLook: (path: string) => void; autoFocus: boolean }) {
  const words = text.sources;
  const [path, setPath] = useState('');
  const look = (given: string) => {
    if (given.trim() !== '') props.onLook(given.trim());
  };
  const browse = async () => {
    try {
      const picked = await backend().pickFolder(words.browseTitle);
      if (picked === null) return;
      setPath(picked);
      look(picked);
    } catch (error) {
      failed(error);
    }
  };
  return (
    <Panel title={words.addTitle}>
      <Form
        className={css.add ?? ''}
        onSubmit={(event) => {
          event.preventDefault();
          look(path);
        }}
      >
        <TextField
          label={words.path}
          placeholder={words.pathPlaceholder}
          value={path}
          onChange={setPath}
          autoFocus={props.autoFocus}
        />
        <Button onPress={() => void browse()}>{words.browse}</Button>
        <Button type="submit" isDisabled={path.trim() === ''}>
          {words.look}
        </Button>
      </Form>
    </Panel>
  );
}
