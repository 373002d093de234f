import { type ReactNode, useRef } from 'react';
import { Dialog as AriaDialog, Heading } from 'react-aria-components/Dialog';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import css from './Dialog.module.css';
import { useStillBelow } from './still';

/** A question that must be answered before anything else. Escape closes it. */
export function Dialog(props: {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  children: ReactNode;
  /** The buttons, the harmless one first. */
  actions?: ReactNode;
  /** For tables and lists. */
  isWide?: boolean;
  /** `alertdialog` when something may be destroyed. */
  role?: 'dialog' | 'alertdialog';
  /** Something was written in it: only its buttons close it. */
  isHolding?: boolean;
}) {
  return (
    <ModalOverlay
      isOpen={props.isOpen}
      onOpenChange={(open) => !open && props.onClose()}
      isDismissable={props.role !== 'alertdialog' && !props.isHolding}
      isKeyboardDismissDisabled={props.isHolding ?? false}
      className={css.shade ?? ''}
    >
      <Modal className={css.modal ?? ''} data-wide={props.isWide || undefined}>
        <AriaDialog role={props.role ?? 'dialog'} className={css.dialog ?? ''}>
          <StillBelow />
          <Heading slot="title" className={css.title}>
            {props.title}
          </Heading>
          <div className={css.body}>{props.children}</div>
          {props.actions && <div className={css.actions}>{props.actions}</div>}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

/** Holds still what lies below the dialog that it is in. */
export function StillBelow() {
  const mark = useRef<HTMLSpanElement>(null);
  useStillBelow(mark);
  return <span ref={mark} hidden />;
}
