/** Gives the constants under the hand a name. */
import { useState } from 'react';
import { Button } from '../../../components/Button';
import { Dialog } from '../../../components/Dialog';
import { TextField } from '../../../components/fields';
import { xray } from '../../../locales/en/xray';
import { useSavePreset } from '../presets';
import { useXray } from '../store';

export function SavePreset({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const [name, setName] = useState('');
  const { constants } = useXray('constants');
  const save = useSavePreset();
  const done = () => {
    if (!constants || name.trim() === '') return;
    save.mutate({ name: name.trim(), constants }, { onSuccess: onClose });
  };
  return (
    <Dialog
      title={xray.sliders.save}
      isOpen={isOpen}
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>{xray.query.cancel}</Button>
          <Button
            variant="primary"
            isDisabled={name.trim() === ''}
            isPending={save.isPending}
            onPress={done}
          >
            {xray.query.save}
          </Button>
        </>
      }
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          done();
        }}
      >
        <TextField label={xray.query.presetName} value={name} onChange={setName} autoFocus />
      </form>
    </Dialog>
  );
}
