import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Form } from 'react-aria-components/Form';
import { Button } from '../../components/Button';
import { failed, sentenceOf } from '../../components/failure';
import { backend } from '../../ipc/backend';
import type { FolderOffer, StatusView } from '../../ipc/bindings';
import { text } from '../../locales/en';
import { NewPassphrase, useNewPassphrase } from '../vault/NewPassphrase';
import { FoundHere } from './FoundHere';
import css from './Welcome.module.css';

/**
 * Asks twice for a new passphrase and says how good it is. The same press has the logs read that
 * were found on this machine and are wanted.
 */
export function CreateVault(props: {
  offers: readonly FolderOffer[];
  onOpen: (status: StatusView, reading: boolean) => void;
}) {
  const words = text.onboarding;
  const [unwanted, setUnwanted] = useState<ReadonlySet<string>>(new Set());
  const wanted = props.offers.filter(({ path }) => !unwanted.has(path));
  const logs = wanted.reduce((sum, { files }) => sum + files, 0);
  const typed = useNewPassphrase();
  const ready = typed.isReady;

  const create = useMutation({
    // The passphrase is passed by closure: the cache of mutations keeps its variables.
    mutationFn: async () => {
      const status = await backend().createVault(typed.value);
      for (const { path } of wanted) {
        // A folder that cannot be read now is offered again in Sources.
        await backend()
          .watchFolder({ paths: [path], format: null, subagents: false, left_out: [] })
          .catch(failed);
      }
      return status;
    },
    onSuccess: (status) => {
      typed.clear();
      props.onOpen(status, wanted.length > 0);
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
      {props.offers.length > 0 ? (
        <FoundHere offers={props.offers} unwanted={unwanted} onChange={setUnwanted} />
      ) : null}
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
        {create.isPending
          ? words.createWorking
          : logs > 0
            ? words.createAndRead(logs)
            : words.createAction}
      </Button>
    </Form>
  );
}
