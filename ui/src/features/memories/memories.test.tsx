import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { clearToasts } from '../../components/Toast';
import { createFake } from '../../ipc/fake';
import { setPreferences } from '../../shell/preferences';
import { findings } from '../../testing/axe';
import { NOW, renderWithCore } from '../../testing/render';
import { MemoriesSection } from './MemoriesSection';

async function opened(options = {}) {
  const view = renderWithCore(<MemoriesSection />, { memories: 250, ...options });
  const list = await screen.findByRole('listbox', { name: /^250 memories/ });
  await waitFor(() => expect(within(list).getAllByRole('option').length).toBeGreaterThan(5));
  return { ...view, list };
}

it('holds a page of rows, never the table', async () => {
  const { core, list } = await opened();
  expect(within(list).getAllByRole('option').length).toBeLessThan(80);
  const limits = core.calls
    .filter((call) => call.command === 'listMemories')
    .map((call) => (call.args[0] as { limit: number }).limit);
  expect(Math.max(...limits)).toBe(100);
});

it('opens, moves, edits and undoes from the keyboard', async () => {
  const { core, list, person } = await opened();
  act(() => list.focus());
  await person.keyboard('{ArrowDown}{Enter}');
  const pane = await screen.findByRole('article');
  const second = within(list).getAllByRole('option')[1];
  expect(second?.id).toBe(list.getAttribute('aria-activedescendant'));
  expect(pane.getAttribute('aria-label')).toContain(second?.id.replace('row-', ''));

  await person.keyboard('e');
  const text = await screen.findByRole('textbox', { name: 'Text' });
  await waitFor(() => expect(document.activeElement).toBe(text));
  await person.clear(text);
  await person.type(text, 'corrected by hand');
  await person.keyboard('{Control>}{Enter}{/Control}');
  await waitFor(() => expect(screen.queryByRole('textbox', { name: 'Text' })).toBeNull());
  expect(within(screen.getByRole('article')).getByText('corrected by hand')).toBeTruthy();
  expect(screen.getByText('Earlier versions (1)')).toBeTruthy();

  await person.click(screen.getByRole('button', { name: 'Undo' }));
  await waitFor(() =>
    expect(within(screen.getByRole('article')).queryByText('corrected by hand')).toBeNull(),
  );
  expect(core.calls.filter((call) => call.command === 'undo')).toHaveLength(1);
});

it('keeps the text of a refused edit', async () => {
  const { core, list, person } = await opened();
  act(() => list.focus());
  await person.keyboard('e');
  const text = await screen.findByRole('textbox', { name: 'Text' });
  await person.type(text, ' and more');
  core.failWith('editMemory', 'conflict');
  await person.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText(/changed meanwhile/)).toBeTruthy();
  expect((text as HTMLTextAreaElement).value).toMatch(/ and more$/);
});

it('leaves the editor by Escape only while nothing has been changed', async () => {
  const { list, person } = await opened();
  act(() => list.focus());
  await person.keyboard('e');
  const tags = await screen.findByRole('textbox', { name: /^Tags/ });
  await person.type(tags, ', kept');
  await person.keyboard('{Escape}');
  expect(screen.getByRole('textbox', { name: /^Tags/ })).toBe(tags);
  await person.type(tags, '{Backspace>6/}');
  await person.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('textbox', { name: /^Tags/ })).toBeNull());
});

/** Agents do not see each other's memories, so only one's are merged. */
async function twoOfOneAgent() {
  const view = await opened();
  const { person } = view;
  await person.click(screen.getByRole('button', { name: /^agent/ }));
  await person.click(await screen.findByRole('option', { name: /hermes/ }));
  await person.keyboard('{Escape}');
  const total = () => Number(screen.getByRole('listbox').getAttribute('aria-label')?.split(' ')[0]);
  await waitFor(() => expect(total()).toBeLessThan(250));
  act(() => screen.getByRole('listbox').focus());
  await person.keyboard(' {ArrowDown} ');
  return { ...view, total };
}

it('merges a selection into the one that is chosen, and undo takes it back', async () => {
  const { person, core, total } = await twoOfOneAgent();
  const before = total();
  await person.keyboard(' ');
  const lone = screen.getByRole('toolbar', { name: '1 memory selected' });
  expect(within(lone).queryByRole('button', { name: 'Merge…' })).toBeNull();
  await person.keyboard(' ');
  await person.click(screen.getByRole('button', { name: 'Merge…' }));
  const dialog = await screen.findByRole('dialog', { name: 'Merge 2 memories into one' });
  expect(await findings()).toEqual([]);
  const text = within(dialog).getByRole('textbox', { name: 'Text of the one that stays' });
  const draft = (text as HTMLTextAreaElement).value;
  expect(draft.split('\n\n').length).toBe(2);
  await person.clear(text);
  await person.type(text, 'both in one');
  // What was written is not lost by a stray key.
  await person.keyboard('{Escape}');
  expect(screen.getByRole('dialog', { name: 'Merge 2 memories into one' })).toBe(dialog);
  await person.click(within(dialog).getByRole('button', { name: /Stays/ }));
  await person.keyboard('{ArrowDown}{Enter}');
  await person.click(screen.getByRole('button', { name: 'Merge' }));
  await waitFor(() => expect(total()).toBe(before - 1));
  const asked = core.calls
    .filter((call) => call.command === 'mergeMemories')
    .map(({ args }) => args[0]);
  const [{ members, content }] = asked as [{ members: { id: string }[]; content: string }];
  expect(content).toBe('both in one');
  const pane = await screen.findByRole('article');
  expect(pane.getAttribute('aria-label')).toContain(members[0]?.id);
  expect(within(pane).getByText('both in one')).toBeTruthy();
  await person.click(screen.getByRole('button', { name: 'Undo' }));
  await waitFor(() => expect(total()).toBe(before));
});

it('says why memories cannot become one, and keeps the text of a refused merge', async () => {
  const { person, core } = await twoOfOneAgent();
  core.failWith('mergeDraft', 'bad_request');
  await person.click(screen.getByRole('button', { name: 'Merge…' }));
  expect(await screen.findByText(/can’t be used/)).toBeTruthy();
  await person.click(screen.getByRole('button', { name: 'Close' }));
  core.failWith('mergeDraft', null);
  await person.click(screen.getByRole('button', { name: 'Merge…' }));
  const text = await screen.findByRole('textbox', { name: 'Text of the one that stays' });
  await person.type(text, ' and more');
  core.failWith('mergeMemories', 'conflict');
  await person.click(screen.getByRole('button', { name: 'Merge' }));
  expect(await screen.findByText(/changed meanwhile/)).toBeTruthy();
  expect((text as HTMLTextAreaElement).value).toMatch(/ and more$/);
});

it('deletes a selection, restores it, and purges only after a question', async () => {
  const { list, person, core } = await opened();
  act(() => list.focus());
  await person.keyboard(' {ArrowDown} ');
  const bar = screen.getByRole('toolbar', { name: '2 memories selected' });
  expect(await findings()).toEqual([]);
  await person.click(within(bar).getByRole('button', { name: 'Delete' }));
  expect(await screen.findByRole('listbox', { name: /^248 memories/ })).toBeTruthy();
  await person.click(screen.getByRole('button', { name: 'Undo' }));
  expect(await screen.findByRole('listbox', { name: /^250 memories/ })).toBeTruthy();

  act(() => screen.getByRole('listbox').focus());
  await person.keyboard('{Delete}');
  await screen.findByRole('listbox', { name: /^249 memories/ });
  await person.click(screen.getByRole('radio', { name: 'Trash' }));
  const trash = await screen.findByRole('listbox', { name: /^1 memory/ });
  await waitFor(() => expect(within(trash).getAllByRole('option')).toHaveLength(1));
  act(() => trash.focus());
  await person.keyboard(' ');
  await person.click(screen.getByRole('button', { name: 'Purge for ever' }));
  const question = await screen.findByRole('alertdialog');
  expect(core.calls.some((call) => call.command === 'purgeMemories')).toBe(false);
  await person.click(within(question).getByRole('button', { name: 'Purge for ever' }));
  expect(await screen.findByText('The trash is empty')).toBeTruthy();
});

it('shows twenty-two compact rows in a window of 900 pixels', async () => {
  const { list } = await opened();
  act(() => setPreferences({ density: 'compact' }));
  // Filters above and the frame around take less than 130 pixels.
  const heights = within(list)
    .getAllByRole('option')
    .map((row) => Number.parseInt(row.parentElement?.style.height ?? '', 10));
  expect(Math.max(...heights) * 22).toBeLessThanOrEqual(900 - 130);
  act(() => setPreferences({ density: 'comfortable' }));
});

it('selects all that match, not what is drawn, deletes them and takes that back at once', async () => {
  act(() => clearToasts());
  const { list, person, core } = await opened();
  act(() => list.focus());
  expect(within(list).getAllByRole('option').length).toBeLessThan(80);
  await person.keyboard('{Control>}a{/Control}');
  await screen.findByRole('toolbar', { name: '250 memories selected' });
  await person.keyboard('{Escape}');

  await person.type(screen.getByRole('searchbox'), 'refund');
  const count = async () => (await core.listMemories({ contains: 'refund', limit: 1 })).total;
  const matching = await count();
  expect(matching).toBeGreaterThan(1);
  expect(matching).toBeLessThan(250);
  const narrowed = await screen.findByRole('listbox', {
    name: new RegExp(`^${matching} memories`),
  });
  act(() => narrowed.focus());
  await person.keyboard('{Control>}a{/Control}');
  await screen.findByRole('toolbar', { name: `${matching} memories selected` });
  await person.keyboard('{Delete}');
  expect(await screen.findByText(`${matching} memories moved to the trash.`)).toBeTruthy();
  await waitFor(async () => expect(await count()).toBe(0));
  await person.click(screen.getByRole('button', { name: 'Undo' }));
  await waitFor(async () => expect(await count()).toBe(matching));
});

it('drops the answer to “all” when something else was selected meanwhile', async () => {
  const { list, person, core } = await opened();
  const answer = core.listMemories;
  let go = () => {};
  const wait = new Promise<void>((done) => {
    go = done;
  });
  const all: string[] = [];
  core.listMemories = async (request) => {
    if (request.limit !== 500) return answer(request);
    await wait;
    // As if the core gave a hundred at once: every page is asked for.
    const page = await answer({ ...request, limit: 100 });
    all.push(...page.cards.map(({ id }) => id));
    return page;
  };
  act(() => list.focus());
  await person.keyboard('{Control>}a{/Control} ');
  await screen.findByRole('toolbar', { name: '1 memory selected' });
  go();
  // Nobody wants the rest any more, so it is not asked for.
  await waitFor(() => expect(new Set(all).size).toBe(100));
  expect(screen.getByRole('toolbar', { name: '1 memory selected' })).toBeTruthy();
  await person.keyboard('{Control>}a{/Control}');
  await screen.findByRole('toolbar', { name: '250 memories selected' });
});

it('says how far a selection of very many is, and lets go of it', async () => {
  const { list, person, core } = await opened();
  const ask = core.listMemories;
  const waiting: Array<() => void> = [];
  core.listMemories = async (request) => {
    const page = await ask({ ...request, limit: Math.min(request.limit ?? 100, 100) });
    if (request.limit === 500 && (request.offset ?? 0) > 0)
      await new Promise<void>((go) => waiting.push(go));
    return page;
  };
  act(() => list.focus());
  await person.keyboard('{Control>}a{/Control}');
  const bar = await screen.findByRole('toolbar', { name: 'Selecting all that match' });
  expect(within(bar).getByRole('progressbar').getAttribute('aria-valuetext')).toBe('100 of 250');
  expect(await findings()).toEqual([]);
  await person.click(within(bar).getByRole('button', { name: 'Stop' }));
  await waitFor(() => expect(bar.isConnected).toBe(false));
  act(() => {
    for (const go of waiting.splice(0)) go();
  });
  await new Promise((done) => setTimeout(done, 50));
  expect(screen.queryByRole('toolbar')).toBeNull();
  expect(waiting).toEqual([]);
});

it('filters by facet and by text, and leads back out of an empty list', async () => {
  const { person, core } = await opened();
  await person.click(screen.getByRole('button', { name: /^agent/ }));
  await person.click(await screen.findByRole('option', { name: /hermes/ }));
  await person.keyboard('{Escape}');
  await waitFor(() => {
    const last = core.calls.filter((call) => call.command === 'listMemories').at(-1);
    expect(last?.args[0]).toMatchObject({ filter: { agents: ['hermes'] } });
  });
  await person.type(screen.getByRole('searchbox'), 'no such words anywhere');
  expect(await screen.findByText('Nothing fits these filters')).toBeTruthy();
  const [clear] = screen.getAllByRole('button', { name: 'Clear filters' });
  if (clear) await person.click(clear);
  expect(await screen.findByRole('listbox', { name: /^250 memories/ })).toBeTruthy();
});

it('filters by a conversation, told by its first words', async () => {
  const { person, core } = await opened();
  await person.click(screen.getByRole('button', { name: /^session/ }));
  const [latest] = await core.sessions();
  const listbox = await screen.findByRole('listbox', { name: 'session' });
  const option = within(listbox).getAllByRole('option')[0] as HTMLElement;
  expect(option.textContent).toContain(latest?.opening.slice(0, 20));
  await person.click(option);
  await person.keyboard('{Escape}');
  await waitFor(() => {
    const last = core.calls.filter((call) => call.command === 'listMemories').at(-1);
    expect(last?.args[0]).toMatchObject({
      filter: { session: latest?.session, agents: [latest?.agent] },
    });
  });
  const count = latest?.memories ?? 0;
  await screen.findByRole('listbox', { name: new RegExp(`^${count} memor`) });
  expect(await findings()).toEqual([]);
});

it('gives the focus back to the list when the memory closes', async () => {
  const { list, person } = await opened();
  act(() => list.focus());
  await person.keyboard('{Enter}');
  await person.click(await screen.findByRole('button', { name: 'Close the memory' }));
  await waitFor(() => expect(document.activeElement).toBe(list));
});

it('shows new rows at the top at once and points them out', async () => {
  const { core, list } = await opened();
  act(() => core.arrive(2));
  await screen.findByRole('listbox', { name: /^252 memories/ });
  await waitFor(() => expect(list.querySelectorAll('[data-fresh]').length).toBe(2));
});

it('shows planted instructions as text and keeps them out until approved', async () => {
  window.location.hash = '#/memories?id=m13';
  const core = createFake({ now: NOW, memories: 250 });
  const { person } = await opened({ core });
  const pane = await screen.findByRole('article');
  expect(within(pane).getByText(/<b>This text came from a web page\.<\/b>/)).toBeTruthy();
  expect(await findings()).toEqual([]);
  await person.click(within(pane).getByRole('button', { name: 'Approve' }));
  await waitFor(() => expect(within(pane).queryByRole('note')).toBeNull());
  expect((await core.getMemory('m13', null)).card.trust).toBe('approved');
});

it('gives a memory an end and takes it back', async () => {
  const { core, list, person } = await opened();
  act(() => list.focus());
  const asked = () =>
    core.calls.filter((call) => call.command === 'editMemory').at(-1)?.args[0] as {
      expires: string | null;
      content: string | null;
    };
  const until = async (day: string) => {
    await person.keyboard('e');
    const field = await screen.findByLabelText('Expires on');
    fireEvent.change(field, { target: { value: day } });
    await person.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(screen.queryByLabelText('Expires on')).toBeNull());
    act(() => screen.getByRole('listbox').focus());
  };
  await until('2031-05-04');
  expect(asked()).toMatchObject({ expires: '2031-05-04', content: null });
  expect(
    within(screen.getByRole('article')).getByText(/May 4, 2031|4 May 2031|2031-05-04/),
  ).toBeTruthy();
  await until('');
  expect(asked().expires).toBe('never');
});

it('lists what has expired apart, and lets it live again', async () => {
  const { core, list, person } = await opened();
  act(() => list.focus());
  await person.keyboard('e');
  const first = screen.getByRole('article').getAttribute('aria-label');
  fireEvent.change(await screen.findByLabelText('Expires on'), { target: { value: '2026-05-01' } });
  await person.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByRole('listbox', { name: /^249 memories/ })).toBeTruthy();

  await person.click(screen.getByRole('radio', { name: 'Expired' }));
  const expired = await screen.findByRole('listbox', { name: /^1 memory/ });
  act(() => expired.focus());
  await person.keyboard('{Enter}');
  const pane = await screen.findByRole('article', { name: first ?? '' });
  expect(within(pane).getByText(/no query brings it up/)).toBeTruthy();
  expect(await findings()).toEqual([]);
  await person.click(within(pane).getByRole('button', { name: 'Let it live again' }));
  expect(await screen.findByText('Nothing has expired')).toBeTruthy();
  expect(core.calls.filter((call) => call.command === 'editMemory').at(-1)?.args[0]).toMatchObject({
    expires: 'never',
    content: null,
  });

  await person.click(screen.getByRole('radio', { name: 'Memories' }));
  expect(await screen.findByRole('listbox', { name: /^250 memories/ })).toBeTruthy();
});

it('stores a memory written by hand from the keyboard, shows it, and undo takes it back', async () => {
  clearToasts();
  const { core, list, person } = await opened();
  act(() => list.focus());
  await person.keyboard('n');
  const dialog = await screen.findByRole('dialog', { name: 'New memory' });
  const text = within(dialog).getByRole('textbox', { name: 'Text' });
  await waitFor(() => expect(document.activeElement).toBe(text));
  const agent = within(dialog).getByRole('textbox', { name: 'Agent' });
  expect((agent as HTMLInputElement).value).toBe('person');
  const button = within(dialog).getByRole('button', { name: 'Store' }) as HTMLButtonElement;
  expect(button.disabled).toBe(true);
  expect(await findings()).toEqual([]);
  await person.type(text, 'Deploys go out on Tuesday');
  // What was written is not lost by a stray key.
  await person.keyboard('{Escape}');
  expect(screen.getByRole('dialog', { name: 'New memory' })).toBe(dialog);
  await person.click(within(dialog).getByRole('button', { name: /Kind/ }));
  await person.click(await screen.findByRole('option', { name: 'summary' }));
  await person.type(within(dialog).getByRole('textbox', { name: /^Tags/ }), 'ops, weekly');
  await person.type(within(dialog).getByRole('textbox', { name: 'Session' }), 's9');
  await person.type(within(dialog).getByRole('textbox', { name: 'Project' }), 'atlas');
  fireEvent.change(within(dialog).getByLabelText('Happened on'), {
    target: { value: '2026-05-01' },
  });
  fireEvent.change(within(dialog).getByLabelText('Expires on'), {
    target: { value: '2031-05-04' },
  });
  await person.click(within(dialog).getByRole('switch', { name: /Pinned/ }));
  await person.keyboard('{Control>}{Enter}{/Control}');

  const pane = await screen.findByRole('article');
  expect(within(pane).getByText('Deploys go out on Tuesday')).toBeTruthy();
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(core.calls.filter((call) => call.command === 'addMemory').map(({ args }) => args)).toEqual(
    [
      [
        {
          content: 'Deploys go out on Tuesday',
          agent: 'person',
          session: 's9',
          org: 'atlas',
          role: 'user',
          kind: 'summary',
          tags: ['ops', 'weekly'],
          pinned: true,
          at: '2026-05-01',
          expires: '2031-05-04',
        },
      ],
    ],
  );
  expect(await screen.findByRole('listbox', { name: /^251 memories/ })).toBeTruthy();
  await person.click(screen.getByRole('button', { name: 'Undo' }));
  expect(await screen.findByRole('listbox', { name: /^250 memories/ })).toBeTruthy();
});

it('says at the field why a memory is refused, and keeps what was written', async () => {
  const { core, person } = await opened();
  await person.click(screen.getByRole('button', { name: 'New memory…' }));
  const dialog = await screen.findByRole('dialog', { name: 'New memory' });
  const text = within(dialog).getByRole('textbox', { name: 'Text' });
  await person.type(text, 'once more');
  core.failWith('addMemory', 'bad_request', { what: 'content', expected: 'other words' });
  await person.click(within(dialog).getByRole('button', { name: 'Store' }));
  await waitFor(() => expect(text.getAttribute('aria-invalid')).toBe('true'));
  expect(within(dialog).getByText(/Expected: other words/)).toBeTruthy();
  core.failWith('addMemory', 'disk_full');
  await person.click(within(dialog).getByRole('button', { name: 'Store' }));
  expect((await within(dialog).findByRole('alert')).textContent).toMatch(/disk is full/);
  expect(text.getAttribute('aria-invalid')).toBeNull();
  expect((text as HTMLTextAreaElement).value).toBe('once more');
});

it('lists where and when a memory was said again', async () => {
  const core = createFake({ now: NOW, memories: 250 });
  const { cards } = await core.listMemories({ sort: 'most_seen', limit: 1 });
  const id = cards[0]?.id ?? '';
  const { sightings } = await core.getMemory(id, null);
  expect(sightings.length).toBe(2);
  window.location.hash = `#/memories?id=${id}`;
  await opened({ core });
  const pane = await screen.findByRole('article');
  const said = within(pane).getByText('Said again 2 times').closest('details') as HTMLElement;
  const rows = within(said).getAllByRole('listitem');
  expect(rows.map((row) => row.textContent)).toEqual(
    sightings.map(({ session, path, line }) =>
      expect.stringMatching(new RegExp(`session ${session}.*${path}:${line}`)),
    ),
  );
  expect(await findings()).toEqual([]);
});

it('says when what there is to choose from did not come, and asks again', async () => {
  const core = createFake({ now: NOW, memories: 250 });
  core.failWith('facets', 'busy');
  const { person } = await opened({ core });
  const said = await screen.findByRole('alert');
  core.failWith('facets', null);
  await person.click(within(said).getByRole('button', { name: 'Try again' }));
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
  await person.click(screen.getByRole('button', { name: /^agent/ }));
  expect((await screen.findAllByRole('option')).length).toBeGreaterThan(1);
});
