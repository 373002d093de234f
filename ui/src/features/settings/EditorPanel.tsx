/** Which program opens a log at a line. */

import { Select } from '../../components/fields';
import { Panel } from '../../components/Page';
import type { EditorView } from '../../ipc/bindings';
import { text } from '../../locales/en';
import css from './SettingsSection.module.css';

const words = text.settings.editor;
const NONE = 'none';

export function EditorPanel(props: {
  command: string;
  editors: readonly EditorView[];
  onChange: (command: string) => void;
}) {
  const { command, editors, onChange } = props;
  const isOffered = editors.some((editor) => editor.command === command);
  return (
    <Panel title={words.title}>
      <Select
        label={words.which}
        value={isOffered ? command : NONE}
        choices={[
          { id: NONE, label: words.none },
          ...editors.map((editor) => ({ id: editor.command, label: editor.name })),
        ]}
        onChange={(id) => onChange(id === NONE ? '' : id)}
      />
      <p className={css.hint}>{words.hint}</p>
    </Panel>
  );
}
