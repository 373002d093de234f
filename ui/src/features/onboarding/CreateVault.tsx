import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Form } from 'react-aria-components/Form';
import { Button } from '../../components/Button';
import { failed, sentenceOf } from '../../components/failure';
import { TextField } from '../../components/fields';
import { backend } from '../../ipc/backend';
import type { StatusView, StrengthView } from '../../ipc/bindings';
import { useLatest } from '../../ipc/latest';
import { text } from '../../locales/en';
import css from './Welcome.module.css';

/** Asks twice for a new passphrase and says how good it is. */
export function CreateVault({ onOpen }: { onOpen: (status: StatusView) => void }) {
  const words = text.onboarding;
  const [passphrase, setPassphrase] = useState('');
  const [again, setAgain] = useState('');
  const [asked, setAsked] = useState(false);
  const {
    data: strength,
    error,
    run: weigh,
    set: setStrength,
  } = useLatest((given: string) => backend().passphraseStrength(given));
  useEffect(() => {
    if (passphrase === '') setStrength(null);
    else weigh(passphrase);
  }, [passphrase, weigh, setStrength]);
  useEffect(() => {
    if (error) failed(error);
  }, [error]);

  const create = useMutation({
    // The passphrase is passed by closure: the cache of mutations keeps its variables.
    mutationFn: () => backend().createVault(passphrase),
    onSuccess: (status) => {
      setPassphrase('');
      setAgain('');
      onOpen(status);
    },
  });
  const differs = again !== '' && again !== passphrase;
  const ready = passphrase !== '' && again === passphrase && (strength?.score ?? 0) > 0;

  return (
    <Form
      className={css.form ?? ''}
      onSubmit={(event) => {
        event.preventDefault();
        setAsked(true);
        if (ready && !create.isPending) create.mutate();
      }}
    >
      <TextField
        label={words.passphrase}
        type="password"
        value={passphrase}
        onChange={(next) => {
          setPassphrase(next);
          if (create.isError) create.reset();
        }}
        error={create.isError ? sentenceOf(create.error) : null}
        autoComplete="new-password"
      />
      <Strength strength={strength} />
      <TextField
        label={words.again}
        type="password"
        value={again}
        onChange={setAgain}
        // While the second is being typed it always differs: complain once it can't match.
        error={differs && (asked || !passphrase.startsWith(again)) ? words.mismatch : null}
        autoComplete="new-password"
      />
      <Button
        type="submit"
        variant={ready ? 'primary' : 'plain'}
        size="large"
        isDisabled={!ready}
        isPending={create.isPending}
      >
        {create.isPending ? words.createWorking : words.createAction}
      </Button>
    </Form>
  );
}

function Strength({ strength }: { strength: StrengthView | null }) {
  const words = text.onboarding;
  const score = strength?.score ?? 0;
  return (
    <div className={css.strength}>
      <div className={css.meter} data-weak={score < 2 || undefined} aria-hidden="true">
        {[1, 2, 3, 4].map((step) => (
          <span key={step} data-on={(strength && score >= step) || undefined} />
        ))}
      </div>
      <span aria-live="polite">
        {strength
          ? `${words.strength}: ${words.strengths[score] ?? ''}. ${strength.advice}`
          : words.strengthHint}
      </span>
    </div>
  );
}
