/** The inside of a dialog that asks for a passphrase and then does one thing with it. */
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Form } from 'react-aria-components/Form';
import { Button } from '../../components/Button';
import { sentenceOf } from '../../components/failure';
import { TextField } from '../../components/fields';
import { Progress } from '../../components/Progress';
import { EdgeFailure } from '../../ipc/backend';
import { text } from '../../locales/en';
import css from './AskForm.module.css';
import { useAct } from './act';

const words = text.vault.keys;

export function AskForm(props: {
  /** What is going to happen. */
  children: ReactNode;
  /** More fields, below the passphrase, or above it. */
  fields?: ReactNode;
  above?: ReactNode;
  label?: string;
  hint?: string;
  /** The sentence for a passphrase that does not open what it should. */
  wrong?: string;
  action: string;
  working: string;
  isDangerous?: boolean;
  /** Whether everything but the passphrase is there. */
  isReady?: boolean;
  /** Pressed the button without everything being there. */
  onUnready?: () => void;
  /** Does it; a refusal is shown here. */
  run: (passphrase: string) => Promise<void>;
  onCancel: () => void;
  onPending?: (pending: boolean) => void;
}) {
  const [passphrase, setPassphrase] = useState('');
  const act = useAct();
  const { isReady = true } = props;
  const edge = act.error instanceof EdgeFailure ? act.error.edge : null;
  const isWrong = edge?.code === 'wrong_passphrase';
  const field = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The field was emptied, and the button with it: here the person goes on.
    if (act.error !== null) field.current?.querySelector('input')?.focus();
  }, [act.error]);
  const submit = () => {
    if (!isReady) props.onUnready?.();
    if (!isReady || passphrase === '' || act.pending) return;
    const given = passphrase;
    // A refused one is typed again; nothing keeps it meanwhile.
    setPassphrase('');
    props.onPending?.(true);
    void act.run(() => props.run(given)).finally(() => props.onPending?.(false));
  };
  return (
    <Form
      className={css.form ?? ''}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {props.children}
      {props.above}
      <div ref={field}>
        <TextField
          label={props.label ?? words.current}
          type="password"
          value={passphrase}
          onChange={(next) => {
            setPassphrase(next);
            act.clear();
          }}
          description={props.hint}
          error={isWrong ? (props.wrong ?? sentenceOf(act.error)) : null}
          autoComplete="current-password"
          autoFocus={!props.above}
        />
      </div>
      {props.fields}
      <div className={css.said} role="alert">
        {act.error !== null && !isWrong ? sentenceOf(act.error) : null}
      </div>
      {act.pending && <Progress label={props.working} value={0} total={null} />}
      <div className={css.actions}>
        <Button onPress={props.onCancel} isDisabled={act.pending}>
          {words.cancel}
        </Button>
        <Button
          type="submit"
          variant={props.isDangerous ? 'danger' : 'primary'}
          isDisabled={passphrase === '' && !act.pending}
          isPending={act.pending}
        >
          {props.action}
        </Button>
      </div>
    </Form>
  );
}
