import { useMutation } from '@tanstack/react-query';
import { Form } from 'react-aria-components/Form';
import { Button } from '../../components/Button';
import { sentenceOf } from '../../components/failure';
import { backend } from '../../ipc/backend';
import type { StatusView } from '../../ipc/bindings';
import { text } from '../../locales/en';
import { NewPassphrase, useNewPassphrase } from '../vault/NewPassphrase';
import css from './Welcome.module.css';

/** Asks twice for a new passphrase and says how good it is. */
export function CreateVault({ onOpen }: { onOpen: (status: StatusView) => void }) {
  const words = text.onboarding;
  const typed = useNewPassphrase();
  const ready = typed.isReady;

  const create = useMutation({
    // The passphrase is passed by closure: the cache of mutations keeps its variables.
    mutationFn: () => backend().createVault(typed.value),
    onSuccess: (status) => {
      typed.clear();
      onOpen(status);
    },
  });

  return (
    <Form
      className={css.form ?? ''}
      onSubmit={(event) => {
        event.preventDefault();
        typed.ask();
        if (ready && !create.isPending) create.mutate();
      }}
    >
      <NewPassphrase
        fields={typed.fields}
        label={words.passphrase}
        error={create.isError ? sentenceOf(create.error) : null}
        onChange={() => {
          if (create.isError) create.reset();
        }}
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
