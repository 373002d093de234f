import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { createFake, type Fake } from '../../../ipc/fake';
import { findings } from '../../../testing/axe';
import { NOW, renderWithCore } from '../../../testing/render';
import { STANDARD } from '../../../testing/trace';
import { XraySection } from '../XraySection';

const FIRST = 'how did we fix the unpack error in the payment gateway?';
const SECOND = 'ERR_VAL_9021';
const LIST = { name: 'Past queries, newest first' };

/** Two past queries, the second under other constants; then the X-ray. */
async function withPast(core: Fake = createFake({ now: NOW, memories: 60 })) {
  for (const [text, constants] of [
    [FIRST, STANDARD],
    [SECOND, { ...STANDARD, results: 3 }],
  ] as const) {
    await core.query({
      text,
      mode: 'hybrid',
      filter: {},
      constants,
      now: '2026-05-01T12:00:00.000Z',
      rerank: true,
    });
  }
  const all = renderWithCore(<XraySection />, { core });
  await screen.findByRole('slider', { name: 'candidates' });
  return all;
}

async function openHistory(person: Awaited<ReturnType<typeof withPast>>['person']) {
  await person.click(screen.getByRole('button', { name: 'History' }));
  return screen.findByRole('list', LIST);
}

async function asItWas(person: Awaited<ReturnType<typeof withPast>>['person'], text: string) {
  await openHistory(person);
  // The oldest: asking again makes a query of its own.
  const shown = screen.getAllByRole('button', { name: `Show as it was: ${text}` });
  await person.click(shown.at(-1) as HTMLElement);
  return screen.findByRole('region', { name: /^As it was on/ });
}

describe('past queries', () => {
  it('say which of them an agent asked, and can show those alone', async () => {
    const core = createFake({ now: NOW, memories: 60 });
    const { person } = await withPast(core);
    const history = core.history;
    core.history = async (request) => {
      const view = await history(request);
      const [first, ...others] = view.entries;
      return first === undefined
        ? view
        : {
            ...view,
            entries: [
              { ...first, channel: 'mcp' as const, filter: { ...first.filter, unflagged: false } },
              ...others,
            ],
          };
    };
    const list = await openHistory(person);
    expect(within(list).getAllByRole('listitem')[0]?.textContent).toMatch(/asked by an agent/);
    expect(within(list).getAllByRole('listitem')[1]?.textContent).not.toMatch(/asked by/);
    expect(list.textContent).not.toMatch(/filtered/);
    await person.click(screen.getByRole('button', { name: /Asked by/ }));
    await person.click(await screen.findByRole('option', { name: 'your agents' }));
    await waitFor(() => expect(within(list).getAllByRole('listitem')).toHaveLength(1));
    expect(within(list).getByRole('listitem').textContent).toMatch(SECOND);
    expect(await findings()).toEqual([]);
  });

  it('are listed newest first, can be searched, and a press asks again', async () => {
    const { person, core } = await withPast();
    const list = await openHistory(person);
    expect(within(list).getAllByRole('listitem')[0]?.textContent).toMatch(SECOND);
    expect(await findings()).toEqual([]);
    await person.type(screen.getByRole('searchbox', { name: 'Find among past queries' }), 'unpack');
    await waitFor(() => expect(within(list).getAllByRole('listitem')).toHaveLength(1));
    await person.click(within(list).getByRole('button', { name: /^\d{4}-/ }));
    await screen.findByRole('list', { name: 'Results, best first' });
    const asked = core.calls.filter((call) => call.command === 'query').at(-1)?.args[0];
    expect(asked).toMatchObject({ text: FIRST, now: null });
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('open and close by keyboard alone', async () => {
    const { person } = await withPast();
    await person.keyboard('{Alt>}[KeyH]{/Alt}');
    const list = await screen.findByRole('list', LIST);
    const rows = within(list).getAllByRole('button', { name: /^\d{4}-/ });
    rows[0]?.focus();
    await person.keyboard('{ArrowDown}');
    expect(document.activeElement).toBe(rows[1]);
    await person.keyboard('{Enter}');
    await screen.findByRole('list', { name: 'Results, best first' });
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Query' }).value).toBe(FIRST);
  });

  it('say what the judgements of today make of them', async () => {
    const core = createFake({ now: NOW, memories: 60 });
    const view = await core.query({
      text: FIRST,
      mode: 'hybrid',
      filter: {},
      constants: STANDARD,
      now: null,
      rerank: true,
    });
    await core.judge({ recall: view.recall, id: view.trace.results[1] ?? '', grade: 3 });
    const { person } = renderWithCore(<XraySection />, { core });
    await screen.findByRole('slider', { name: 'candidates' });
    expect((await openHistory(person)).textContent).toMatch(/found 2nd/);
  });

  it('are forgotten only after a question', async () => {
    const { person, core } = await withPast();
    await openHistory(person);
    await person.click(screen.getByRole('button', { name: 'Forget all' }));
    await person.click(await screen.findByRole('button', { name: 'Keep them' }));
    expect(core.calls.some((call) => call.command === 'clearHistory')).toBe(false);
    await person.click(screen.getByRole('button', { name: 'Forget all' }));
    const question = await screen.findByRole('alertdialog');
    await person.click(within(question).getByRole('button', { name: 'Forget all' }));
    expect(await screen.findByText(/Nothing has been asked yet/)).toBeTruthy();
  });
});

describe('a past query', () => {
  it('is shown as it was, read-only, and Escape goes back', async () => {
    const { person, core } = await withPast();
    const banner = await asItWas(person, SECOND);
    expect(banner.textContent).toMatch(/Read-only/);
    const list = screen.getByRole('list', { name: 'Results, best first' });
    expect(within(list).getAllByRole('listitem')).toHaveLength(3);
    // Nothing can be moved, judged or asked of it.
    expect(screen.queryByRole('slider')).toBeNull();
    expect(within(list).queryByRole('button', { name: /star|golden/i })).toBeNull();
    expect(screen.queryByRole('tab', { name: 'Context' })).toBeNull();
    const constants = screen.getByRole('region', { name: 'Constants of that time' });
    expect(constants.textContent).toMatch(/results3 today 10/);
    const before = core.calls.length;
    await person.click(within(list).getAllByRole('button')[0] as HTMLElement);
    await screen.findByRole('article', { name: 'Memory' });
    const asked = core.calls.slice(before).map((call) => call.command);
    expect(asked).toEqual(['getMemory', 'session']);
    expect(await findings()).toEqual([]);
    await person.keyboard('{Escape}{Escape}');
    await screen.findByRole('slider', { name: 'candidates' });
  });

  it('is asked again under the constants and the clock that the person names', async () => {
    const { person, core } = await withPast();
    const last = () => core.calls.filter((call) => call.command === 'query').at(-1)?.args[0];
    for (const [name, wanted] of [
      [/^today’s constants$/, { now: '2026-05-01T12:00:00.000Z', results: 10 }],
      [/^the clock of now$/, { now: null, results: 3 }],
      [/^exactly as then$/, { now: '2026-05-01T12:00:00.000Z', results: 3 }],
    ] as const) {
      await asItWas(person, SECOND);
      await person.click(screen.getByRole('button', { name: 'Ask again' }));
      const item = await screen.findByRole('menuitem', { name });
      await person.click(item);
      await screen.findByRole('slider', { name: 'candidates' });
      expect(last()).toMatchObject({
        text: SECOND,
        now: wanted.now,
        constants: { results: wanted.results },
      });
    }
  });

  it('never disappears under an answer that comes late', async () => {
    const { person, core } = await withPast();
    const input = screen.getByRole('textbox', { name: 'Query' });
    await person.type(input, 'kettle{Enter}');
    await screen.findByRole('list', { name: 'Results, best first' });
    await asItWas(person, SECOND);
    core.arrive(1);
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Query' }).value).toBe(SECOND);
    await person.click(screen.getByRole('button', { name: 'Back to the present' }));
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Query' }).value).toBe('kettle');
  });
});

describe('two past queries', () => {
  it('stand side by side with the finding as title', async () => {
    const { person } = await withPast();
    await openHistory(person);
    const both = () => screen.getByRole<HTMLButtonElement>('button', { name: /Side by side|more/ });
    expect(both().disabled).toBe(true);
    for (const text of [FIRST, SECOND])
      await person.click(screen.getByRole('button', { name: `Compare: ${text}` }));
    await person.click(both());
    const dialog = await screen.findByRole('dialog', { name: 'Side by side' });
    expect(dialog.textContent).toMatch(/gone.*results 10 → 3/);
    expect(within(dialog).getAllByRole('table').length).toBe(3);
    expect(await findings()).toEqual([]);
    const title = within(dialog).getByRole('status').textContent;
    await person.click(within(dialog).getByRole('button', { name: 'Swap sides' }));
    expect(within(dialog).getByRole('status').textContent).not.toBe(title);
  });
});

describe('an export', () => {
  it('for a bug report holds no text, is shown first, and goes where the person says', async () => {
    const { person, core } = await withPast();
    await asItWas(person, FIRST);
    const banner = screen.getByRole('region', { name: /^As it was on/ });
    await person.click(within(banner).getByRole('button', { name: 'Export…' }));
    const preview = await screen.findByRole('region', { name: 'Exactly this will be written' });
    await waitFor(() => expect(preview.textContent).toMatch(/memory-1/));
    expect(await findings()).toEqual([]);
    expect(preview.textContent).not.toMatch(/unpack|"m1"/);
    fireEvent.click(screen.getByRole('switch', { name: 'Include the query’s text' }));
    await waitFor(() => expect(preview.textContent).toMatch(/unpack/));
    fireEvent.click(screen.getByRole('switch', { name: 'Include the query’s text' }));
    await waitFor(() => expect(preview.textContent).not.toMatch(/unpack/));
    await person.click(screen.getByRole('button', { name: 'Choose a place…' }));
    await waitFor(() => expect(core.files.size).toBe(1));
    const [[path, text]] = [...core.files] as [[string, string]];
    expect(path).toBe('/home/ada/lethescope-trace-redacted.json');
    expect(text).not.toMatch(/unpack/);
  });
});
