/** Takes away something that opens the vault. */
import { useState } from 'react';
import { Dialog } from '../../components/Dialog';
import { toast } from '../../components/Toast';
import { backend } from '../../ipc/backend';
import type { KeySlotView } from '../../ipc/bindings';
import { useKeepSlots } from '../../ipc/vault';
import { text } from '../../locales/en';
import { AskForm } from './AskForm';
import { kindOf } from './kinds';

const words = text.vault.keys.removing;

export function RemoveSlotDialog(props: { slot: KeySlotView | null; onClose: () => void }) {
  const { slot } = props;
  const keep = useKeepSlots();
  const [pending, setPending] = useState(false);
  return (
    <Dialog
      title={slot ? words.title(kindOf(slot)) : ''}
      role="alertdialog"
      isOpen={slot !== null}
      onClose={props.onClose}
      isHolding={pending}
    >
      {slot && (
        <AskForm
          action={words.action}
          working={words.working}
          isDangerous
          onCancel={props.onClose}
          onPending={setPending}
          run={async (current) => {
            keep(await backend().removeKeySlot(current, slot.number));
            toast(words.done);
            props.onClose();
          }}
        >
          <p>{words.text}</p>
        </AskForm>
      )}
    </Dialog>
  );
}
