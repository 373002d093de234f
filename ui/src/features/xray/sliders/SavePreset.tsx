/** Gives the constants under the hand a name. */
import { memo, useState } from 'react';
import { Button } from '../../../components/Button';
import { Dialog } from '../../../components/Dialog';
import { TextField } from '../../../components/fields';
import { xray } from '../../../locales/en/xray';
import { useSavePreset } from '../presets';
import { xrayStore } from '../store';

export const SavePreset = memo(function SavePreset(props: {
  isOpen: boolean;
  onClose: () => void;
}) {
  const { isOpen, onClose } = props;
  const [name, setName] = useState('');
  const save = useSavePreset();
  const done = () => {
    const { constants } = xrayStore().get();
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
});
