/** Takes away something that opens the vault. */
import { useQueryClient } from '@tanstack/react-query';
import { toast } from '../../components/Toast';
import { backend } from '../../ipc/backend';
import type { KeySlotView } from '../../ipc/bindings';
import { keys } from '../../ipc/keys';
import { useKeepSlots } from '../../ipc/vault';
import { text } from '../../locales/en';
import { AskDialog } from './AskDialog';
import { kindOf } from './kinds';

const words = text.vault.keys.removing;

export function RemoveSlotDialog(props: { slot: KeySlotView | null; onClose: () => void }) {
  const { slot } = props;
  const client = useQueryClient();
  const keep = useKeepSlots();
  return (
    <AskDialog
      title={slot ? words.title(kindOf(slot)) : ''}
      role="alertdialog"
      isOpen={slot !== null}
      onClose={props.onClose}
      action={words.action}
      working={words.working}
      isDangerous
      run={async (current) => {
        if (slot === null) return;
        keep(await backend().removeKeySlot(current, slot.number));
        if (slot.kind === 'keychain') {
          void client.invalidateQueries({ queryKey: keys.keychain });
        }
        toast(words.done);
        props.onClose();
      }}
    >
      <p>{words.text}</p>
    </AskDialog>
  );
}
