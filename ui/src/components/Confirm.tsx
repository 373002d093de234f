/** Asks before something is destroyed. */
import type { ReactNode } from 'react';
import { Button } from './Button';
import { Dialog } from './Dialog';

export function Confirm(props: {
  title: string;
  /** What destroys it, and what keeps it. */
  action: string;
  keep: string;
  isOpen: boolean;
  isPending?: boolean;
  onConfirm: () => void;
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <Dialog
      title={props.title}
      role="alertdialog"
      isOpen={props.isOpen}
      onClose={props.onClose}
      actions={
        <>
          <Button autoFocus onPress={props.onClose}>
            {props.keep}
          </Button>
          <Button variant="danger" isPending={props.isPending ?? false} onPress={props.onConfirm}>
            {props.action}
          </Button>
        </>
      }
    >
      {props.children}
    </Dialog>
  );
}
