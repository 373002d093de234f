/** Everything encrypted anew under another key. A new recovery code is shown this once. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../../components/Dialog';
import { toast } from '../../components/Toast';
import { backend } from '../../ipc/backend';
import { keys } from '../../ipc/keys';
import { text } from '../../locales/en';
import { AskForm } from './AskForm';
import { ShownCode } from './ShownCode';

const words = text.vault.keys.rekeying;

export function RekeyDialog(props: { isOpen: boolean; folder: string; onClose: () => void }) {
  const client = useQueryClient();
  const [code, setCode] = useState<string | null>(null);
  const [pending, setPending] = useState(false);
  const close = () => {
    setCode(null);
    props.onClose();
  };
  return (
    <Dialog
      title={code === null ? words.title : text.vault.keys.drawing.shownTitle}
      isOpen={props.isOpen}
      onClose={close}
      isHolding={pending || code !== null}
    >
      {code === null ? (
        <AskForm
          label={words.current}
          action={words.action}
          working={words.working}
          isDangerous
          onCancel={close}
          onPending={setPending}
          run={async (current) => {
            const done = await backend().rekey(current);
            void client.invalidateQueries({ queryKey: keys.slots });
            const said = [words.done];
            if (done.slots_gone > 0) said.push(words.gone(done.slots_gone));
            if (done.keychain === false) said.push(words.keychain);
            toast(said.join('; '));
            if (done.recovery_code === null) close();
            else setCode(done.recovery_code);
          }}
        >
          <p>{words.text}</p>
          <ul>
            {words.points.map((point) => (
              <li key={point}>{point}</li>
            ))}
          </ul>
        </AskForm>
      ) : (
        <ShownCode code={code} folder={props.folder} isReplacing onWritten={close} />
      )}
    </Dialog>
  );
}
