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
  const rows = store.get().view?.trace.stages.find(({ name }) => name === 'rerank')?.items ?? [];
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
        { kind: 'mode', what: 'lexical', query: QUESTION, mode: 'lexical', rank: 1, draft: null },
        {
          kind: 'drop',
          what: 'error',
          query: 'unpack gateway',
          mode: 'hybrid',
          rank: 3,
          draft: null,
        },
        { kind: 'pin', what: '', query: null, mode: 'hybrid', rank: 8, draft: null },
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

  it('open the editor with the draft, change nothing before it is saved, and can be undone', async () => {
    const { section, person, core, store, id } = await missed({
      edits: [
        {
          kind: 'write',
          what: 'unpack',
          query: null,
          mode: 'hybrid',
          rank: 2,
          draft: {
            content: 'the new text\n\nunpack',
            tags: null,
            displaced: ['m9'],
            judged: 7,
            gained: 2,
            lost: 1,
          },
        },
      ],
      tried: 4,
      untried: 0,
    });
    await waitFor(() => expect(within(section).getAllByRole('listitem')).toHaveLength(1));
    expect(section.textContent).toMatch(
      /“unpack” added to its textpushes m9 out; 7 judged: 2 gain, 1 lose→ 2nd/,
    );
    const before = (await core.getMemory(id, null)).content;
    await person.click(
      within(section).getByRole('button', {
        name: 'Open the editor with “unpack” added to its text: it comes 2nd',
      }),
    );
    const text = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Text' });
    expect(text.value).toBe('the new text\n\nunpack');
    expect(screen.getByText(/A draft, not stored yet/)).toBeTruthy();
    expect((await core.getMemory(id, null)).content).toBe(before);
    expect(await findings()).toEqual([]);
    await person.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(async () =>
      expect((await core.getMemory(id, null)).content).toBe('the new text\n\nunpack'),
    );
    expect(store.get().draft).toBeNull();
    await core.undo();
    expect((await core.getMemory(id, null)).content).toBe(before);
  });

  it('say so when nothing helps', async () => {
    const { section } = await missed({ edits: [], tried: 9, untried: 0 });
    await waitFor(() =>
      expect(section.textContent).toMatch(/None of 9 changes of the question or the memory/),
    );
  });
});
