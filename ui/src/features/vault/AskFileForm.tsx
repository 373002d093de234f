/** The inside of a dialog that does one thing with a file and with the passphrase that opens it. */
import { type ComponentProps, useState } from 'react';
import { Button } from '../../components/Button';
import { AskForm } from './AskForm';
import css from './Copies.module.css';
import { FileChoice } from './FileChoice';

interface Words {
  file: string;
  chooseTitle: string;
  passphrase: string;
  hint: string;
  wrong: string;
  action: string;
  working: string;
}

type Asked = Pick<
  ComponentProps<typeof AskForm>,
  'children' | 'fields' | 'isDangerous' | 'onCancel' | 'onPending'
>;

export function AskFileForm({
  words,
  run,
  ...asked
}: Asked & { words: Words; run: (path: string, passphrase: string) => Promise<void> }) {
  const [path, setPath] = useState<string | null>(null);
  return (
    <AskForm
      {...asked}
      above={
        <FileChoice label={words.file} title={words.chooseTitle} path={path} onChange={setPath} />
      }
      label={words.passphrase}
      hint={words.hint}
      wrong={words.wrong}
      action={words.action}
      working={words.working}
      isReady={path !== null}
      run={async (passphrase) => {
        if (path !== null) await run(path, passphrase);
      }}
    />
  );
}

/** The only button of a dialog in which everything is done. */
export function CloseButton(props: { label: string; onPress: () => void }) {
  return (
    <div className={css.end}>
      <Button autoFocus variant="primary" onPress={props.onPress}>
        {props.label}
      </Button>
    </div>
  );
}
