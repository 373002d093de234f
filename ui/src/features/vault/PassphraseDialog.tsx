/** Another passphrase: in the place of the present one, or beside it. */
import { useState } from 'react';
import { Dialog } from '../../components/Dialog';
import { toast } from '../../components/Toast';
import { backend } from '../../ipc/backend';
import { useKeepSlots } from '../../ipc/vault';
import { text } from '../../locales/en';
import { AskForm } from './AskForm';
import { NewPassphrase, useNewPassphrase } from './NewPassphrase';

const words = text.vault.keys;

type How = 'change' | 'add';

export function PassphraseDialog({ how, onClose }: { how: How | null; onClose: () => void }) {
  const [pending, setPending] = useState(false);
  return (
    <Dialog
      title={(how === 'add' ? words.adding : words.changing).title}
      isOpen={how !== null}
      onClose={onClose}
      isHolding={pending}
    >
      {how && <Asking how={how} onClose={onClose} onPending={setPending} />}
    </Dialog>
  );
}

function Asking(props: { how: How; onClose: () => void; onPending: (pending: boolean) => void }) {
  const say = props.how === 'add' ? words.adding : words.changing;
  const typed = useNewPassphrase();
  const keep = useKeepSlots();
  return (
    <AskForm
      hint={words.currentHint}
      action={say.action}
      working={say.working}
      isReady={typed.isReady}
      onUnready={typed.ask}
      onCancel={props.onClose}
      onPending={props.onPending}
      fields={<NewPassphrase fields={typed.fields} label={words.newPassphrase} />}
      run={async (current) => {
        const { value } = typed;
        keep(
          await (props.how === 'add'
            ? backend().addPassphrase(current, value)
            : backend().changePassphrase(current, value)),
        );
        toast(say.done);
        props.onClose();
      }}
    >
      <p>{say.text}</p>
    </AskForm>
  );
}
