import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ForecastView } from '../../../ipc/bindings';
import { findings } from '../../../testing/axe';
import { renderWithCore } from '../../../testing/render';
import { STANDARD } from '../../../testing/trace';
import { Arrivals, GATHER_MS } from '../arrivals';
import { XraySection } from '../XraySection';
import { sentences, span } from './forecast';

const QUESTION = 'how did we fix the unpack error in the payment gateway?';

async function asked() {
  const all = renderWithCore(<XraySection />, { memories: 80 });
  await screen.findByRole('slider', { name: 'candidates' });
  const input = await screen.findByRole('textbox', { name: 'Query' });
  input.focus();
  await all.person.paste(QUESTION);
  await all.person.keyboard('{Enter}');
  await screen.findByRole('list', { name: 'Results, best first' });
  return all;
}

const clock = () => screen.getByRole<HTMLInputElement>('slider', { name: 'Rank as if it were' });

describe('the clock under the hand', () => {
  it('ranks again without searching, and goes back', async () => {
    const { core, person } = await asked();
    await waitFor(() => expect(core.calls.some((call) => call.command === 'forecast')).toBe(true));
    const queries = () => core.calls.filter((call) => call.command === 'query').length;
    const before = queries();
    fireEvent.change(clock(), { target: { value: clock().max } });
    await waitFor(() => {
      const last = core.calls.filter((call) => call.command === 'retune').at(-1)?.args[0];
      expect(last).toMatchObject({ now: '2026-08-16T09:30:00.000Z' });
    });
    await waitFor(() =>
      expect(clock().getAttribute('aria-valuetext')).toBe('2026-08-16 09:30 UTC'),
    );
    const time = screen.getByRole('region', { name: 'Time' });
    expect(time.textContent).toMatch(/\+90 d/);
    expect(queries()).toBe(before);
    // The clock on the chip is the same one.
    expect(screen.getByRole('button', { name: /as of 2026-08-16/ })).toBeTruthy();
    await person.click(
      screen.getByRole('button', { name: 'Now: back to the clock the query was asked by' }),
    );
    await waitFor(() => expect(clock().getAttribute('aria-valuetext')).toMatch(/^Now/));
    expect(queries()).toBe(before);
    const last = core.calls.filter((call) => call.command === 'retune').at(-1)?.args[0];
    expect(last).toMatchObject({ now: null });
  });

  it('keeps the clock while another constant moves', async () => {
    const { core } = await asked();
    fireEvent.change(clock(), { target: { value: clock().max } });
    await waitFor(() => expect(clock().getAttribute('aria-valuetext')).toMatch(/^2026-08-16/));
    fireEvent.change(screen.getByRole('slider', { name: 'decay floor' }), {
      target: { value: '0' },
    });
    await waitFor(() => {
      const last = core.calls.filter((call) => call.command === 'retune').at(-1)?.args[0];
      expect(last).toMatchObject({
        now: '2026-08-16T09:30:00.000Z',
        constants: { decay_floor: 0 },
      });
    });
  });

  it('says of a memory what time will do to it', async () => {
    const { person } = await asked();
    const list = screen.getByRole('list', { name: 'Results, best first' });
    await person.click(within(list).getAllByRole('button')[0] as HTMLElement);
    const panel = await screen.findByRole('article', { name: 'Memory' });
    expect(await within(panel).findByText(/the top 10/)).toBeTruthy();
    expect(await findings()).toEqual([]);
  });
});

describe('a forecast in words', () => {
  const forecast: ForecastView = {
    clock: '2026-05-18T09:30:00.000Z',
    from: '2026-05-18T09:30:00.000Z',
    until: '2026-08-16T09:30:00.000Z',
    exact: true,
    unread: false,
    results: 5,
    changes: [],
    memories: {},
  };
  const none = { rank: null, leaves_at: null, enters_at: null, next_at: null, next_rank: null };

  it.each([
    [
      { ...none, rank: 3, leaves_at: '2026-05-27T21:30:00Z' },
      ['Leaves the top 5 in 9 d (2026-05-27 21:30 UTC)'],
    ],
    [
      { ...none, enters_at: '2026-05-18T12:30:00Z' },
      ['Enters the top 5 in 3 h (2026-05-18 12:30 UTC)'],
    ],
    [
      { ...none, rank: 2, next_at: '2026-06-18T09:30:00Z', next_rank: 1 },
      ['Stays in the top 5 for the next 90 days', 'Becomes 1st in 31 d (2026-06-18 09:30 UTC)'],
    ],
    [undefined, ['Does not enter the top 5 within 90 days']],
  ])('%#', (fate, wanted) => {
    expect(sentences(forecast, fate)).toEqual(wanted);
  });

  it('rounds down, so that it never promises a day too many', () => {
    expect(span('2026-05-18T00:00:00Z', '2026-05-27T23:00:00Z')).toBe('9 d');
    expect(span('2026-05-18T00:00:00Z', '2026-05-18T00:10:00Z')).toBe('< 1 h');
  });
});

describe('what comes in', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const standing = () => ({ recall: 'r1', constants: STANDARD });

  it('is asked about once for many lines, and again when it is embedded', async () => {
    const port = { arrivals: vi.fn(async () => ({ entering: ['m9'] })) };
    const counts: number[] = [];
    const arrivals = new Arrivals(port, (n) => counts.push(n));
    for (let line = 0; line < 50; line += 1) arrivals.note([`m${line}`], standing);
    await vi.advanceTimersByTimeAsync(GATHER_MS);
    expect(port.arrivals).toHaveBeenCalledTimes(1);
    expect(counts).toEqual([1]);
    arrivals.look(standing);
    await vi.advanceTimersByTimeAsync(GATHER_MS);
    expect(port.arrivals).toHaveBeenCalledTimes(2);
    arrivals.forget();
    arrivals.look(standing);
    await vi.advanceTimersByTimeAsync(GATHER_MS);
    expect(port.arrivals).toHaveBeenCalledTimes(2);
  });

  it('is not told about a query that no longer stands', async () => {
    let answer: (found: { entering: string[] }) => void = () => {};
    const port = {
      arrivals: vi.fn(
        () =>
          new Promise<{ entering: string[] }>((done) => {
            answer = done;
          }),
      ),
    };
    const counts: number[] = [];
    const arrivals = new Arrivals(port, (n) => counts.push(n));
    arrivals.note(['m1'], standing);
    await vi.advanceTimersByTimeAsync(GATHER_MS);
    arrivals.forget();
    answer({ entering: ['m1'] });
    await vi.advanceTimersByTimeAsync(0);
    expect(counts).toEqual([]);
  });
});

describe('the pill', () => {
  it('appears only for what would be a result, and nothing moves before it is pressed', async () => {
    const { core, person } = await asked();
    const names = () =>
      within(screen.getByRole('list', { name: 'Results, best first' }))
        .getAllByRole('listitem')
        .map((row) => row.textContent?.slice(0, 40));
    const before = names();
    core.failWith('arrivals', 'busy');
    act(() => core.arrive(2));
    await new Promise((done) => setTimeout(done, GATHER_MS + 100));
    expect(screen.queryByRole('button', { name: /new result/ })).toBeNull();
    core.failWith('arrivals', null);
    core.arrivals = async () => ({ entering: ['m999'] });
    act(() => core.arrive(1));
    const pill = await screen.findByRole('button', { name: '1 new result' }, { timeout: 4000 });
    expect(names()).toEqual(before);
    await person.click(pill);
    await waitFor(() => expect(screen.queryByRole('button', { name: /new result/ })).toBeNull());
  });
});
