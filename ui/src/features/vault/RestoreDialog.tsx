/** Puts a backup in the place of the vault, which is set aside. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { CopyNumber } from '../../components/CopyNumber';
import { Dialog } from '../../components/Dialog';
import { backend } from '../../ipc/backend';
import type { BackupView, StatusView } from '../../ipc/bindings';
import { keys } from '../../ipc/keys';
import { text } from '../../locales/en';
import { AskFileForm, CloseButton } from './AskFileForm';

const words = text.vault.copies.restoring;

export function RestoreDialog(props: {
  isOpen: boolean;
  /** Whether a vault is there that is set aside. */
  hasVault: boolean;
  /** Where no vault is open: what to do with the restored one, which is opened. */
  onOpen?: (status: StatusView) => void;
  onClose: () => void;
}) {
  const [pending, setPending] = useState(false);
  return (
    <Dialog title={words.title} isOpen={props.isOpen} onClose={props.onClose} isHolding={pending}>
      <Restoring {...props} onPending={setPending} />
    </Dialog>
  );
}

function Restoring(props: {
  hasVault: boolean;
  onOpen?: (status: StatusView) => void;
  onClose: () => void;
  onPending: (pending: boolean) => void;
}) {
  const client = useQueryClient();
  const [restored, setRestored] = useState<BackupView | null>(null);
  const [opened, setOpened] = useState<StatusView | null>(null);
  const close = () => {
    props.onClose();
    if (opened) props.onOpen?.(opened);
  };
  if (restored) {
    return (
      <>
        <p role="status">{words.done(restored.memories)}</p>
        {restored.set_aside && (
          <p>
            {words.aside} <CopyNumber shown={restored.set_aside} label={words.aside} />
          </p>
        )}
        <CloseButton label={words.close} onPress={close} />
      </>
    );
  }
  return (
    <AskFileForm
      words={words}
      isDangerous={props.hasVault}
      onCancel={props.onClose}
      onPending={props.onPending}
      run={async (path, passphrase) => {
        const done = await backend().restoreBackup(path, passphrase);
        // What was checked is not what is here now.
        client.removeQueries({ queryKey: keys.health });
        if (props.onOpen) setOpened(await backend().unlock(passphrase));
        else void client.invalidateQueries({ queryKey: keys.status });
        setRestored(done);
      }}
    >
      <p>{props.hasVault ? words.text : words.textNone}</p>
    </AskFileForm>
  );
}
