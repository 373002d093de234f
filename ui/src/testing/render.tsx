/** Renders a part of the window over an invented core. */
import { QueryClientProvider } from '@tanstack/react-query';
import { render } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ReactElement } from 'react';
import { Toasts } from '../components/Toast';
import { setBackend } from '../ipc/backend';
import { createClient } from '../ipc/client';
import { createFake, type Fake, type FakeOptions } from '../ipc/fake';
import { useNotices } from '../ipc/hooks';

/** 2026-05-18, 09:30 UTC: the clock of every test. */
export const NOW = Date.UTC(2026, 4, 18, 9, 30);

function Listening({ children }: { children: ReactElement }) {
  useNotices();
  return (
    <>
      {children}
      <Toasts />
    </>
  );
}

/** Renders `ui` (`whole` when it is the window itself); the answer holds the invented core and a person at the keyboard. */
export function renderWithCore(
  ui: ReactElement,
  options: FakeOptions & { core?: Fake; whole?: boolean } = {},
) {
  const core = options.core ?? createFake({ now: NOW, ...options });
  setBackend(core);
  const client = createClient();
  const person = userEvent.setup();
  const view = render(
    <QueryClientProvider client={client}>
      {options.whole ? ui : <Listening>{ui}</Listening>}
    </QueryClientProvider>,
  );
  return { core, person, client, ...view };
}
