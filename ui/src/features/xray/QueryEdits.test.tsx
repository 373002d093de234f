import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { createFake } from '../../ipc/fake';
import { findings } from '../../testing/axe';
import { NOW, renderWithCore } from '../../testing/render';
import { REST_MS } from './QueryEdits';
import { xrayStore } from './store';
import { XraySection } from './XraySection';

const QUESTION = 'how did we fix the unpack error in the payment gateway?';

/** The planted miss on screen, with these changes found by the core. */
async function missed(found: Awaited<ReturnType<ReturnType<typeof createFake>['queryEdits']>>) {
  const core = createFake({ now: NOW, memories: 120 });
  const calls: unknown[] = [];
  core.queryEdits = async (request) => {
    calls.push(request);
    return found;
  };
  const all = renderWithCore(<XraySection />, { core });
  await screen.findByRole('slider', { name: 'candidates' });
  const store = xrayStore();
  store.ask({ text: QUESTION });
  await waitFor(() => expect(store.get().phase).toBe('settled'));
  const rows = store.get().view?.trace.stages[5]?.items ?? [];
  const out = rows.find((item) => !store.get().view?.trace.results.includes(item.id));
  store.expect(out?.id ?? null);
  const section = await screen.findByRole(
    'region',
    { name: 'Other ways to it, each tried' },
    { timeout: REST_MS + 4000 },
  );
  return { ...all, calls, section, store, id: out?.id ?? '' };
}

describe('other ways to a missed memory', () => {
  it('are offered with the rank they give, and asking one asks it', async () => {
    const { section, person, store, calls, id } = await missed({
      edits: [
        { kind: 'mode', what: 'lexical', query: QUESTION, mode: 'lexical', rank: 1 },
        { kind: 'drop', what: 'error', query: 'unpack gateway', mode: 'hybrid', rank: 3 },
        { kind: 'pin', what: '', query: null, mode: 'hybrid', rank: 8 },
      ],
      tried: 14,
      untried: 2,
    });
    await waitFor(() => expect(within(section).getAllByRole('listitem')).toHaveLength(3));
    expect(section.textContent).toMatch(/in lexical mode→ 1st/);
    expect(section.textContent).toMatch(/14 were tried.*2 more were not/);
    expect(calls[0]).toMatchObject({ expected: id });
    expect(await findings()).toEqual([]);
    await person.click(
      within(section).getByRole('button', { name: 'Ask without “error”: it comes 3rd' }),
    );
    await waitFor(() => expect(store.get().asked?.text).toBe('unpack gateway'));
    expect(store.get().expected).toBe(id);
  });

  it('say so when nothing helps', async () => {
    const { section } = await missed({ edits: [], tried: 9, untried: 0 });
    await waitFor(() =>
      expect(section.textContent).toMatch(/None of 9 changes of the question or the memory/),
    );
  });
});
