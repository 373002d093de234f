/** Draws a recovery code and shows it this once. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../../components/Dialog';
import { backend } from '../../ipc/backend';
import { keys } from '../../ipc/keys';
import { text } from '../../locales/en';
import { AskForm } from './AskForm';
import { ShownCode } from './ShownCode';

const words = text.vault.keys.drawing;

export function RecoveryCodeDialog(props: {
  isOpen: boolean;
  /** Whether there is a code already. */
  hasOne: boolean;
  folder: string;
  onClose: () => void;
}) {
  const client = useQueryClient();
  const [code, setCode] = useState<string | null>(null);
  const [pending, setPending] = useState(false);
  // Told by what was there before: the new one is there as soon as it is drawn.
  const [replaced, setReplaced] = useState(false);
  const close = () => {
    setCode(null);
    props.onClose();
  };
  return (
    <Dialog
      title={code === null ? words.title : words.shownTitle}
      isOpen={props.isOpen}
      onClose={close}
      isHolding={pending || code !== null}
    >
      {code === null ? (
        <AskForm
          action={words.action}
          working={words.working}
          onCancel={close}
          onPending={setPending}
          run={async (current) => {
            const { hasOne } = props;
            const drawn = await backend().drawRecoveryCode(current);
            setReplaced(hasOne);
            setCode(drawn);
            void client.invalidateQueries({ queryKey: keys.slots });
          }}
        >
          <p>{words.text}</p>
          {props.hasOne && <p>{words.another}</p>}
        </AskForm>
      ) : (
        <ShownCode code={code} folder={props.folder} isReplacing={replaced} onWritten={close} />
      )}
    </Dialog>
  );
}
