import { useEffect } from 'react';
import { Button } from '../components/Button';
import { EmptyState } from '../components/EmptyState';
import { sentenceOf } from '../components/failure';
import { clearToasts, Toasts } from '../components/Toast';
import { Welcome } from '../features/onboarding/Welcome';
import { useNotices, useStatus } from '../ipc/hooks';
import { text } from '../locales/en';
import { resetArrivals } from '../shell/arrivals';
import { useLook } from '../shell/preferences';
import { Shell } from './Shell';

/** The whole window: the welcome while there is no open vault, the sections afterwards. */
export function App() {
  useLook();
  useNotices();
  const status = useStatus();
  const open = status.data?.vault === 'open';

  useEffect(() => {
    // Toasts may quote what was open; a new vault counts its own arrivals.
    if (!open) clearToasts();
    resetArrivals();
  }, [open]);

  let page = null;
  if (status.data?.vault === 'at_work') page = <EmptyState title={text.app.atWork} />;
  else if (status.data)
    page = open ? <Shell status={status.data} /> : <Welcome status={status.data} />;
  else if (status.isError) {
    page = (
      <EmptyState
        title={text.app.unreachable}
        action={<Button onPress={() => void status.refetch()}>{text.common.retry}</Button>}
      >
        {sentenceOf(status.error)}
      </EmptyState>
    );
  }
  return (
    <>
      {page}
      <Toasts />
    </>
  );
}
