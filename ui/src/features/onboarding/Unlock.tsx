import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Form } from 'react-aria-components/Form';
import { Button } from '../../components/Button';
import { sentenceOf } from '../../components/failure';
import { TextField } from '../../components/fields';
import { backend } from '../../ipc/backend';
import type { StatusView } from '../../ipc/bindings';
import { useKeychain } from '../../ipc/hooks';
import { text } from '../../locales/en';
import css from './Welcome.module.css';

/** Asks for the passphrase of the vault that is there, or for a word to the keychain that opens it. */
export function Unlock({ onOpen }: { onOpen: (status: StatusView) => void }) {
  const words = text.onboarding;
  const [passphrase, setPassphrase] = useState('');
  const unlock = useMutation({
    // The passphrase is passed by closure: the cache of mutations keeps its variables.
    mutationFn: () => backend().unlock(passphrase),
    onSuccess: (status) => {
      setPassphrase('');
      onOpen(status);
    },
  });
  return (
    <>
      <Form
        className={css.form ?? ''}
        onSubmit={(event) => {
          event.preventDefault();
          if (passphrase !== '' && !unlock.isPending) unlock.mutate();
        }}
      >
        <TextField
          label={words.passphrase}
          type="password"
          value={passphrase}
          onChange={(next) => {
            setPassphrase(next);
            if (unlock.isError) unlock.reset();
          }}
          description={words.unlockHint}
          error={unlock.isError ? sentenceOf(unlock.error) : null}
          autoComplete="current-password"
          autoFocus
        />
        <Button
          type="submit"
          variant="primary"
          size="large"
          isDisabled={passphrase === ''}
          isPending={unlock.isPending}
        >
          {unlock.isPending ? words.unlockWorking : words.unlockAction}
        </Button>
      </Form>
      <ByKeychain onOpen={onOpen} />
    </>
  );
}

/** The other way in, for a vault that has a key slot of a keychain. Nothing opens by itself. */
function ByKeychain({ onOpen }: { onOpen: (status: StatusView) => void }) {
  const words = text.onboarding;
  const keychain = useKeychain().data;
  const unlock = useMutation({
    mutationFn: () => backend().unlockByKeychain(),
    onSuccess: onOpen,
  });
  if (!keychain?.slot) return null;
  if (keychain.state === 'absent') return <p className={css.aside}>{words.keychainAbsent}</p>;
  if (keychain.state === 'no_entry') return <p className={css.aside}>{words.keychainNoEntry}</p>;
  return (
    <>
      <Button size="large" onPress={() => unlock.mutate()} isPending={unlock.isPending}>
        {unlock.isPending ? words.keychainWorking : words.keychainAction}
      </Button>
      {unlock.isError && (
        <p className={css.problem} role="alert">
          {sentenceOf(unlock.error)}
        </p>
      )}
    </>
  );
}
