/** Whether this machine's keychain opens the vault: begun with the passphrase, ended at a press. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../components/Button';
import { failed } from '../../components/failure';
import { toast } from '../../components/Toast';
import { backend } from '../../ipc/backend';
import { useKeychain } from '../../ipc/hooks';
import { keys } from '../../ipc/keys';
import { text } from '../../locales/en';
import { AskDialog } from './AskDialog';
import { useAct } from './act';
import css from './WhatOpens.module.css';

const words = text.vault.keys.keychain;

export function Keychain() {
  const client = useQueryClient();
  const keychain = useKeychain().data;
  const [asking, setAsking] = useState(false);
  const ending = useAct();
  if (!keychain) return null;
  const close = () => setAsking(false);
  const changed = () => void client.invalidateQueries({ queryKey: keys.slots });
  const opens = keychain.slot && keychain.state === 'ready';
  const canKeep = keychain.state === 'ready' || keychain.state === 'no_entry';
  return (
    <div className={css.keychain}>
      <p>
        <strong>{words.title}</strong>
        <small>{opens ? words.opens : words.states[keychain.state]}</small>
      </p>
      {opens ? (
        <Button
          isPending={ending.pending}
          onPress={() =>
            void ending.run(async () => {
              try {
                const { entry_left } = await backend().forgetKeychain();
                toast(entry_left ? words.entryLeft : words.ended);
              } catch (error) {
                failed(error);
              }
              changed();
            })
          }
        >
          {words.end}
        </Button>
      ) : (
        canKeep && <Button onPress={() => setAsking(true)}>{words.begin}</Button>
      )}
      <AskDialog
        title={words.dialog}
        isOpen={asking}
        onClose={close}
        action={words.action}
        working={words.working}
        run={async (current) => {
          await backend().useKeychain(current);
          changed();
          toast(words.begun);
          close();
        }}
      >
        <p>{words.text}</p>
      </AskDialog>
    </div>
  );
}
