import { act, screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { createFake } from '../../ipc/fake';
import { findings } from '../../testing/axe';
import { NOW, renderWithCore } from '../../testing/render';
import { bestOf } from './Otherwise';
import { REST_MS } from './QueryEdits';
import { xrayStore } from './store';
import { XraySection } from './XraySection';

const QUESTION = 'how did we fix the unpack error in the payment gateway?';
const edit = { what: '', mode: 'hybrid' as const, draft: null };
const draft = { content: 'x', tags: null, displaced: [], judged: 0, gained: 0, lost: 0 };
const EDITS = [
  { ...edit, kind: 'question' as const, query: null, rank: 1, draft },
  { ...edit, kind: 'pin' as const, query: null, rank: 2 },
  { ...edit, kind: 'drop' as const, what: 'error', query: 'unpack the gateway', rank: 7 },
  { ...edit, kind: 'drop' as const, what: 'fix', query: 'unpack gateway', rank: 4 },
];

it('another question comes before a pin, and a changed text last', () => {
  expect(bestOf(EDITS)?.query).toBe('unpack gateway');
  expect(bestOf(EDITS.slice(0, 2))?.kind).toBe('pin');
  expect(bestOf(EDITS.slice(0, 1))?.kind).toBe('question');
  expect(bestOf([{ ...edit, kind: 'redate', query: null, rank: 1 }])).toBeUndefined();
});

it('where no constant helps one button still does, and Ctrl Z takes it back', async () => {
  const core = createFake({ now: NOW, memories: 120 });
  const why = core.why;
  core.why = async (request) => {
    const verdict = await why(request);
    return { ...verdict, fixes: verdict.fixes.map((fix) => ({ ...fix, intervals: [] })) };
  };
  core.queryEdits = async () => ({ edits: EDITS, tried: 4, untried: 0 });
  const { person } = renderWithCore(<XraySection />, { core });
  await screen.findByRole('slider', { name: 'candidates' });
  const store = xrayStore();
  act(() => store.ask({ text: QUESTION }));
  await waitFor(() => expect(store.get().phase).toBe('settled'));
  const { trace } = store.get().view ?? {};
  const out = trace?.stages[5]?.items.find((item) => !trace.results.includes(item.id));
  act(() => store.expect(out?.id ?? null));
  const nearest = await screen.findByRole('region', { name: /^No constant alone brings it/ });
  const button = await within(nearest).findByRole(
    'button',
    { name: 'Ask without “fix”: it comes 4th' },
    { timeout: REST_MS + 4000 },
  );
  expect(within(nearest).getAllByRole('button')).toEqual([button]);
  expect(await findings()).toEqual([]);
  await person.click(button);
  await waitFor(() => expect(store.get().asked?.text).toBe('unpack gateway'));
  expect(store.get().expected).toBe(out?.id);

  act(() => (document.activeElement as HTMLElement | null)?.blur());
  await person.keyboard('{Control>}z{/Control}');
  await waitFor(() => expect(store.get().asked?.text).toBe(QUESTION));
  expect(store.get().expected).toBe(out?.id);
  expect(core.calls.some((call) => call.command === 'undo')).toBe(false);
});
