import { lazy, Suspense, useEffect } from 'react';
import { Button } from '../components/Button';
import { EmptyState } from '../components/EmptyState';
import { sentenceOf } from '../components/failure';
import { clearToasts, Toasts } from '../components/Toast';
import { Welcome } from '../features/onboarding/Welcome';
import type { StatusView } from '../ipc/bindings';
import { useNotices, useStatus } from '../ipc/hooks';
import { text } from '../locales/en';
import { resetArrivals } from '../shell/arrivals';
import { openBook, PLACE_OF, PLACE_OF_WELCOME, placeInFocus, useBook } from '../shell/book';
import { isKey } from '../shell/keyboard';
import { useLook } from '../shell/preferences';
import { currentRoute } from '../shell/route';
import { Shell } from './Shell';

const Book = lazy(() => import('../features/help').then((all) => ({ default: all.Book })));

/** The whole window: the welcome while there is no open vault, the sections afterwards. */
export function App() {
  useLook();
  useNotices();
  const status = useStatus();
  const open = status.data?.vault === 'open';

  useHelpKey(status.data?.vault);
  const book = useBook();

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
      <Suspense fallback={null}>
        <Book place={book} />
      </Suspense>
      <Toasts />
    </>
  );
}

/** F1 opens the book at what has the focus, or else at the section that is shown. */
function useHelpKey(vault: StatusView['vault'] | undefined) {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (!isKey(event, 'help')) return;
      event.preventDefault();
      const here =
        vault === 'none' || vault === 'locked'
          ? PLACE_OF_WELCOME[vault]
          : PLACE_OF[currentRoute().section];
      openBook(placeInFocus() ?? here);
    };
    window.addEventListener('keydown', pressed);
    return () => window.removeEventListener('keydown', pressed);
  }, [vault]);
}
