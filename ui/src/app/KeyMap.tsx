/** Every key of the window, over whatever is open; the same list as in Settings. */
import { Button } from '../components/Button';
import { Dialog } from '../components/Dialog';
import { KeyList } from '../features/settings/KeyList';
import { text } from '../locales/en';

export function KeyMap({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Dialog
      title={text.app.keyMap}
      isOpen={isOpen}
      onClose={onClose}
      isWide
      actions={<Button onPress={onClose}>{text.common.close}</Button>}
    >
      <KeyList />
    </Dialog>
  );
}
