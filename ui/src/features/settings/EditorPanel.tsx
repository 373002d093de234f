/** Which program opens a log at a line. */
import { useState } from 'react';
import { Button } from '../../components/Button';
import { Select, TextField } from '../../components/fields';
import { Panel } from '../../components/Page';
import { text } from '../../locales/en';

const words = text.settings.editor;

/** Commands of editors that take a line. */
const COMMANDS: readonly { id: string; label: string }[] = [
  { id: 'code -g {file}:{line}', label: 'Visual Studio Code' },
  { id: 'cursor -g {file}:{line}', label: 'Cursor' },
  { id: 'zed {file}:{line}', label: 'Zed' },
  { id: 'subl {file}:{line}', label: 'Sublime Text' },
  { id: 'idea --line {line} {file}', label: 'IntelliJ IDEA' },
  { id: 'emacsclient -n +{line} {file}', label: 'Emacs' },
  { id: 'gvim +{line} {file}', label: 'Vim' },
  { id: 'kate -l {line} {file}', label: 'Kate' },
];
const NONE = 'none';
const OWN = 'own';

export function EditorPanel(props: { command: string; onChange: (command: string) => void }) {
  const { command, onChange } = props;
  const isKnown = COMMANDS.some(({ id }) => id === command);
  const [own, setOwn] = useState(command !== '' && !isKnown);
  const [draft, setDraft] = useState(command);
  return (
    <Panel title={words.title}>
      <Select
        label={words.which}
        value={own ? OWN : isKnown ? command : NONE}
        choices={[{ id: NONE, label: words.none }, ...COMMANDS, { id: OWN, label: words.own }]}
        onChange={(id) => {
          setOwn(id === OWN);
          if (id === OWN) setDraft(command || (COMMANDS[0]?.id ?? ''));
          else onChange(id === NONE ? '' : id);
        }}
      />
      {own ? (
        <>
          <TextField
            label={words.command}
            value={draft}
            onChange={setDraft}
            description={words.hint}
          />
          <div>
            <Button isDisabled={draft.trim() === command} onPress={() => onChange(draft.trim())}>
              {words.save}
            </Button>
          </div>
        </>
      ) : null}
    </Panel>
  );
}
