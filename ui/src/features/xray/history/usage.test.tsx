import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { HistoryEntry, MemoryUseView, UsageCounts, UseVerdict } from '../../../ipc/bindings';
import { createFake, type Fake } from '../../../ipc/fake';
import { findings } from '../../../testing/axe';
import { NOW, renderWithCore } from '../../../testing/render';
import { STANDARD } from '../../../testing/trace';
import { XraySection } from '../XraySection';
import { evidence } from './usage';

const ASKED = 'how did we fix the unpack error in the payment gateway?';

const use = (id: string, verdict: UseVerdict, more: Partial<MemoryUseView> = {}) => ({
  id,
  verdict,
  names: [],
  words: [],
  rare: 0,
  rare_and_more: false,
  clash: null,
  after_seconds: null,
  answer: null,
  cosine: null,
  ...more,
});

/** A question that a hook asked; the invented core knows only a person's. */
async function asked(counts: UsageCounts, uses: (results: string[]) => MemoryUseView[]) {
  const core: Fake = createFake({ now: NOW, memories: 60 });
  const { trace } = await core.query({
    text: ASKED,
    mode: 'hybrid',
    filter: {},
    constants: STANDARD,
    now: '2026-05-01T12:00:00.000Z',
    rerank: true,
  });
  const { history, storedTrace } = core;
  core.history = async (request) => {
    const view = await history(request);
    const entries = view.entries.map(
      (entry): HistoryEntry => ({
        ...entry,
        channel: 'hook',
        usage: request.usage ? counts : null,
      }),
    );
    return { ...view, entries };
  };
  core.storedTrace = async (id) => ({ ...(await storedTrace(id)), channel: 'hook' });
  core.usage = async () => ({
    session: 's1',
    answered_at: '2026-05-01T12:00:14.000Z',
    memories: uses(trace.results),
  });
  const { person } = renderWithCore(<XraySection />, { core });
  await screen.findByRole('slider', { name: 'candidates' });
  await person.click(screen.getByRole('button', { name: 'History' }));
  const list = await screen.findByRole('list', { name: 'Past queries, newest first' });
  return { core, person, list, results: trace.results };
}

describe('what an agent made of what it was given', () => {
  it('stands in the list of past queries in short', async () => {
    const counts = { answered: true, given: 5, used: 2, contradicted: 1 };
    const { list } = await asked(counts, () => []);
    await waitFor(() => expect(list.textContent).toMatch(/used 2 of 5 · 1 contradicted\?/));
    expect(await findings()).toEqual([]);
  });

  it('is said to be unknown while no answer has been read', async () => {
    const counts = { answered: false, given: 5, used: 0, contradicted: 0 };
    const { list } = await asked(counts, () => []);
    await waitFor(() => expect(list.textContent).toMatch(/no answer seen yet/));
  });

  it('marks each result, with its evidence on it and beside its text', async () => {
    const counts = { answered: true, given: 2, used: 1, contradicted: 0 };
    const { person, results } = await asked(counts, ([first = '', second = '']) => [
      use(first, 'used', {
        names: ['config/gateway.toml'],
        words: ['unpack', 'gateway'],
        rare: 3,
        after_seconds: 14,
        answer: first,
        cosine: 0.61,
      }),
      use(second, 'ignored', { rare: 4 }),
    ]);
    expect(results.length).toBeGreaterThan(2);
    await person.click(screen.getByRole('button', { name: `Show as it was: ${ASKED}` }));
    const list = await screen.findByRole('list', { name: 'Results, best first' });
    const rows = within(list).getAllByRole('listitem');
    const mark = await within(rows[0] as HTMLElement).findByText('used');
    expect(mark.title).toBe(
      'The answer quotes config/gateway.toml. 2 of its 3 rare words stand in the answer: unpack, gateway. 14 s after it was recalled',
    );
    expect(rows[1]?.textContent).toMatch(/ignored/);
    // What the block did not hold was not given.
    expect(rows[2]?.textContent).not.toMatch(/used|ignored|not seen/);
    await person.click(within(rows[0] as HTMLElement).getAllByRole('button')[0] as HTMLElement);
    const section = await screen.findByRole('region', { name: 'In the agent’s answer' });
    expect(section.textContent).toMatch(/stand in the answer: unpack, gateway/);
    expect(section.textContent).toMatch(/a cosine of 0\.61, which decides nothing/);
    within(section).getByRole('button', { name: 'Show that part of the answer' });
    expect(await findings()).toEqual([]);
  });

  it('says why for every verdict', () => {
    for (const verdict of ['ignored', 'unclear', 'known', 'unseen', 'gone'] as const)
      expect(evidence(use('m1', verdict))).toHaveLength(1);
    const clash = { key: 'port', remembered: '4002', said: '5173' };
    expect(evidence(use('m1', 'contradicted', { clash }))).toEqual([
      'The answer says port 5173, the memory port 4002',
    ]);
    const one = { words: ['oolong'], rare: 1, after_seconds: 0 };
    expect(evidence(use('m1', 'used', one))).toEqual([
      '1 of its 1 rare word stands in the answer: oolong',
      'At once',
    ]);
  });
});
