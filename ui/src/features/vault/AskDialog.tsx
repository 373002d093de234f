/** A dialog that asks for a passphrase and then does one thing with it; it stays until that is over. */
import { type ComponentProps, useState } from 'react';
import { Dialog } from '../../components/Dialog';
import { AskForm } from './AskForm';

type Asked = Omit<ComponentProps<typeof AskForm>, 'onCancel' | 'onPending'>;

export function AskDialog({
  title,
  role,
  isOpen,
  onClose,
  ...asked
}: Asked & {
  title: string;
  role?: 'alertdialog';
  isOpen: boolean;
  onClose: () => void;
}) {
  const [pending, setPending] = useState(false);
  return (
    <Dialog
      title={title}
      role={role ?? 'dialog'}
      isOpen={isOpen}
      onClose={onClose}
      isHolding={pending}
    >
      <AskForm {...asked} onCancel={onClose} onPending={setPending} />
    </Dialog>
  );
}
