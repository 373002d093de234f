import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { failed } from '../components/failure';
import { toast } from '../components/Toast';
import { backend } from '../ipc/backend';
import { keys } from '../ipc/keys';
import { text } from '../locales/en';

/** Takes the last edit, deletion or restoration back and says what it was. */
export function useUndo(): () => void {
  const client = useQueryClient();
  return useCallback(() => {
    backend()
      .undo()
      .then((what) => {
        toast(what === null ? text.app.nothingToUndo : text.app.undone(what));
        void client.invalidateQueries({ queryKey: keys.memories });
        void client.invalidateQueries({ queryKey: keys.facets });
        void client.invalidateQueries({ queryKey: keys.status });
      })
      .catch(failed);
  }, [client]);
}
