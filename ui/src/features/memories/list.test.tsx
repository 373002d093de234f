import { QueryClientProvider } from '@tanstack/react-query';
import { act, renderHook, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { expect, it } from 'vitest';
import { setBackend } from '../../ipc/backend';
import { createClient } from '../../ipc/client';
import { createFake } from '../../ipc/fake';
import { NOW } from '../../testing/render';
import { NO_FILTERS, requestFor } from './filters';
import { useMemoryList } from './list';

function listed(scrolled: boolean) {
  const core = createFake({ now: NOW, memories: 250 });
  setBackend(core);
  const client = createClient();
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  );
  const request = requestFor(NO_FILTERS, NOW);
  const view = renderHook((last: number) => useMemoryList(request, 90, last, scrolled), {
    wrapper,
    initialProps: 110,
  });
  return { core, ...view };
}

it('holds new rows back while the top is out of sight', async () => {
  const { core, result, rerender } = listed(true);
  await waitFor(() => expect(result.current.total).toBe(250));
  const before = [90, 99, 100, 110].map((index) => result.current.at(index)?.id);
  expect(before).not.toContain(undefined);

  act(() => core.arrive(3));
  await waitFor(() => expect(result.current.held).toBe(3));
  expect(result.current.total).toBe(250);
  expect([90, 99, 100, 110].map((index) => result.current.at(index)?.id)).toEqual(before);

  // A page that is asked for only now fits on to those that were there before.
  rerender(210);
  await waitFor(() => expect(result.current.at(205)).toBeTruthy());
  const seen = Array.from({ length: 121 }, (_, index) => result.current.at(90 + index)?.id);
  expect(new Set(seen).size).toBe(121);

  act(() => result.current.release());
  await waitFor(() => expect(result.current.total).toBe(253));
  expect(result.current.held).toBe(0);
  expect(result.current.fresh.size).toBe(3);
});

it('shows new rows at once while the top is in sight', async () => {
  const { core, result } = listed(false);
  await waitFor(() => expect(result.current.total).toBe(250));
  act(() => core.arrive(2));
  await waitFor(() => expect(result.current.total).toBe(252));
  expect(result.current.held).toBe(0);
  expect(result.current.fresh.size).toBe(2);
});
