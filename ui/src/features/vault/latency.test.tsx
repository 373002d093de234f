import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { backend, setBackend } from '../../ipc/backend';
import { createFake } from '../../ipc/fake';
import { findings } from '../../testing/axe';
import { NOW, renderWithCore } from '../../testing/render';
import { Latency, slowestStage } from './Latency';

it('teaches what will be here before anything was asked', async () => {
  renderWithCore(<Latency />);
  expect(await screen.findByText(/Ask something in the X-ray/)).toBeTruthy();
});

it('states the finding, and every number behind it', async () => {
  const core = createFake({ now: NOW });
  setBackend(core);
  const { presets } = await backend().settings();
  const constants = presets[0]?.constants;
  if (!constants) throw new Error('no preset');
  const request = {
    text: 'tea',
    mode: 'hybrid',
    filter: {},
    constants,
    now: null,
    rerank: true,
  } as const;
  for (let at = 0; at < 3; at++) await core.query(request);
  renderWithCore(<Latency />, { core });
  expect(
    await screen.findByText(/Half of the last 3 queries took at most 69.6 ms; rerank/),
  ).toBeTruthy();
  const row = screen.getByRole('rowheader', { name: 'rerank' }).closest('tr') as HTMLElement;
  expect(within(row).getByText('90.0 ms')).toBeTruthy();
  expect(screen.getByRole('img', { name: /last 3 queries/ })).toBeTruthy();
  expect(await findings()).toEqual([]);
});

it('names the stage that is slowest in the middle, not once', () => {
  const row = (name: string, p50: number, slowest: number) => ({
    name,
    ran: 1,
    p50,
    p95: p50,
    slowest,
  });
  const stages = [row('knn', 9, 9), row('bm25', 3, 900)];
  expect(slowestStage({ queries: 1, whole: null, stages, recent: [] })).toBe('knn');
});
