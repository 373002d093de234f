import { act, screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { createFake, type Fake } from '../../ipc/fake';
import { PRESETS } from '../../ipc/fake/constants';
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

/** A memory that was read and is no result is expected, and no constant alone brings it back. */
async function lost(core: Fake) {
  const { person } = renderWithCore(<XraySection />, { core });
  await screen.findByRole('slider', { name: 'candidates' });
  const store = xrayStore();
  act(() => store.ask({ text: QUESTION }));
  await waitFor(() => expect(store.get().phase).toBe('settled'));
  const { trace } = store.get().view ?? {};
  const out = trace?.stages
    .find(({ name }) => name === 'rerank')
    ?.items.find((item) => !trace.results.includes(item.id));
  act(() => store.expect(out?.id ?? null));
  const nearest = await screen.findByRole('region', { name: /^No constant alone brings it/ });
  return { person, store, out, nearest };
}

it('another question comes before a filter, a filter before a pin, and a changed text last', () => {
  expect(bestOf(EDITS)?.query).toBe('unpack gateway');
  const narrow = { ...edit, kind: 'narrow' as const, query: 'unpack role:user', rank: 1 };
  expect(bestOf([...EDITS, narrow])?.query).toBe('unpack gateway');
  expect(bestOf([narrow, ...EDITS.slice(0, 2)])).toBe(narrow);
  expect(bestOf(EDITS.slice(0, 2))?.kind).toBe('pin');
  expect(bestOf(EDITS.slice(0, 1))?.kind).toBe('question');
  expect(bestOf([{ ...edit, kind: 'redate', query: null, rank: 1 }])).toBeUndefined();
});

it('a pair of constants comes first, says what it pushes out, and is taken back as one', async () => {
  const core = createFake({ now: NOW, memories: 120 });
  const why = core.why;
  core.why = async (request) => {
    const verdict = await why(request);
    return { ...verdict, fixes: verdict.fixes.map((fix) => ({ ...fix, intervals: [] })) };
  };
  core.pairFix = async () => ({
    parts: [
      { constant: 'rrf_k', current: 60, value: 12, interval: [0, 12.3] },
      { constant: 'rerank_blend', current: 0.6, value: 0.4, interval: [0, 0.41] },
    ],
    rank: 9,
    displaced: ['m7'],
    gained: 0,
    lost: 0,
    ndcg_delta: null,
  });
  const { person, store, nearest } = await lost(core);
  const button = await within(nearest).findByRole(
    'button',
    { name: 'Try RRF k 12 and rerank blend 0.40' },
    { timeout: REST_MS + 4000 },
  );
  expect(within(nearest).getAllByRole('button')).toEqual([button]);
  expect(nearest).toHaveTextContent('→ 9th pushes m7 out');
  expect(await findings()).toEqual([]);
  const before = store.get().constants;
  await person.click(button);
  expect(store.get().constants).toMatchObject({ rrf_k: 12, rerank_blend: 0.4 });
  act(() => (document.activeElement as HTMLElement | null)?.blur());
  await person.keyboard('{Control>}z{/Control}');
  expect(store.get().constants).toEqual(before);
  expect(core.calls.some((call) => call.command === 'undo')).toBe(false);
});

it('a setting that is no number comes before a pin and a text, and Ctrl Z takes it back', async () => {
  const core = createFake({ now: NOW, memories: 120 });
  const why = core.why;
  const tried: string[] = [];
  core.why = async (request) => {
    const verdict = await why(request);
    const { constants } = request;
    tried.push(`${constants.rerank} ${constants.fusion}`);
    const helps = constants.fusion === 'convex';
    return {
      ...verdict,
      in_results: helps,
      lost_at: helps ? null : (verdict.lost_at ?? 'select'),
      fixes: verdict.fixes.map((fix) => ({ ...fix, intervals: [] })),
    };
  };
  core.queryEdits = async () => ({ edits: EDITS.slice(0, 2), tried: 4, untried: 0 });
  const { person, store, nearest } = await lost(core);
  const button = await within(nearest).findByRole(
    'button',
    { name: 'Try fusion convex' },
    { timeout: REST_MS + 4000 },
  );
  expect(within(nearest).getAllByRole('button')).toEqual([button]);
  await person.click(button);
  expect(store.get().constants?.fusion).toBe('convex');
  act(() => (document.activeElement as HTMLElement | null)?.blur());
  await person.keyboard('{Control>}z{/Control}');
  expect(store.get().constants?.fusion).toBe('rrf');
  expect(core.calls.some((call) => call.command === 'undo')).toBe(false);
});

it('a preset that helps is set and taken back as a whole', () => {
  renderWithCore(<XraySection />, { core: createFake({ now: NOW, memories: 20 }) });
  const store = xrayStore();
  const standard = PRESETS[0] as (typeof PRESETS)[number];
  const other = PRESETS.at(-1) as (typeof PRESETS)[number];
  act(() => store.applyPreset(standard));
  act(() => store.tune({ rrf_k: 7 }));
  act(() => store.tryPreset(other));
  expect(store.get()).toMatchObject({ preset: other, constants: other.constants });
  act(() => void store.unapply());
  expect(store.get()).toMatchObject({
    preset: standard,
    constants: { ...standard.constants, rrf_k: 7 },
  });
});

it('where no constant helps one button still does, and Ctrl Z takes it back', async () => {
  const core = createFake({ now: NOW, memories: 120 });
  const why = core.why;
  core.why = async (request) => {
    const verdict = await why(request);
    return { ...verdict, fixes: verdict.fixes.map((fix) => ({ ...fix, intervals: [] })) };
  };
  core.queryEdits = async () => ({ edits: EDITS, tried: 4, untried: 0 });
  const { person, store, out, nearest } = await lost(core);
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
