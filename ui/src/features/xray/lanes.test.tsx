import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { QueryView } from '../../ipc/bindings';
import { createFake } from '../../ipc/fake';
import { findings } from '../../testing/axe';
import { NOW, renderWithCore } from '../../testing/render';
import { XraySection } from './XraySection';

async function asked(text: string, core = createFake({ now: NOW, memories: 40 })) {
  const all = renderWithCore(<XraySection />, { core });
  const input = await screen.findByRole('textbox', { name: 'Query' });
  await screen.findByRole('slider', { name: 'candidates' });
  input.focus();
  await all.person.paste(text);
  await all.person.keyboard('{Enter}');
  return all;
}

const beside = () => screen.findByRole('region', { name: 'Beside the memories' });

describe('what stands beside the memories', () => {
  it('says its finding on a card, and in full behind it', async () => {
    const { person } = await asked('unpack error in the payment gateway');
    const cards = await beside();
    expect(cards.textContent).toContain('2 past questions are similar; 2 reach the agent');
    expect(cards.textContent).toContain('Best: Gateway runbook, chunk 1 of 3');
    await person.click(within(cards).getByRole('button', { name: /Research/ }));
    const similar = screen.getByRole('list', { name: 'Similar research, best first' });
    expect(within(similar).getByText('similarity 1.00')).toBeTruthy();
    expect(similar.textContent).toContain('read before its length had arrived');
    expect(screen.queryByText(/Just missed/)).toBeNull();
    const chunks = screen.getByRole('list', { name: 'Chunks of documents, best first' });
    expect(within(chunks).getAllByRole('listitem')).toHaveLength(2);
    expect(chunks.textContent).toContain('meaning – · words 1');
    expect(await findings()).toEqual([]);
  });

  it('survives a moving slider, whose answers carry no texts', async () => {
    const { person, core } = await asked('unpack error in the payment gateway');
    const cards = await beside();
    await person.click(within(cards).getByRole('button', { name: /Documents/ }));
    await expect.poll(() => core.calls.some((call) => call.command === 'retune')).toBe(true);
    expect(await screen.findByText(/drain the queue before restarting/)).toBeTruthy();
  });

  it('keeps its place when a query finds nothing there', async () => {
    const { person } = await asked('lighthouse keepers');
    const cards = await beside();
    expect(cards.textContent).toContain('None of ');
    expect(cards.textContent).toContain('Nothing in ');
    await person.click(within(cards).getByRole('button', { name: /Documents/ }));
    expect(await screen.findByRole('heading', { name: /Nothing in/ })).toBeTruthy();
    expect(screen.queryByText(/Just missed/)).toBeNull();
    expect(screen.getByRole('tab', { name: /Beside/, selected: true })).toBeTruthy();
    expect(await findings()).toEqual([]);
  });

  it('names what a lower threshold would let in', async () => {
    const { person } = await asked('payment calendar');
    await person.click(within(await beside()).getByRole('button', { name: /Research/ }));
    await person.click(await screen.findByText('Just missed · 2'));
    const missed = within(screen.getByRole('list', { name: /not similar enough/ }));
    expect(missed.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
      'unpack error in the payment gateway · similarity 0.200',
      'payment gateway unpack error retries · similarity 0.167',
    ]);
    expect(await findings()).toEqual([]);
  });

  it('is absent while the vault holds nothing of its kind', async () => {
    const core = createFake({ now: NOW, memories: 40 });
    const query = core.query.bind(core);
    core.query = async (request) => {
      const view = await query(request);
      const { memory_lookup: lookup, documents } = view.trace.lanes ?? {};
      if (lookup) Object.assign(lookup, { entries: 0, hits: [] });
      if (documents) Object.assign(documents, { documents: 0, hits: [] });
      return { ...view, unscored: 0 };
    };
    await asked('lighthouse keepers', core);
    await screen.findByRole('tab', { name: /Results/ });
    expect(screen.queryByRole('region', { name: 'Beside the memories' })).toBeNull();
    expect(screen.queryByRole('tab', { name: /Beside/ })).toBeNull();
  });

  it('never shows a failure as empty', async () => {
    const core = createFake({ now: NOW, memories: 40 });
    const broken = (view: QueryView): QueryView => {
      const { memory_lookup: lookup } = view.trace.lanes ?? {};
      if (lookup) {
        lookup.status = 'failed';
        lookup.reason = 'the research cache cannot be read: the vault is locked';
        lookup.hits = [];
      }
      return view;
    };
    const [query, retune] = [core.query.bind(core), core.retune.bind(core)];
    core.query = async (request) => broken(await query(request));
    core.retune = async (request) => broken(await retune(request));
    await asked('lighthouse keepers', core);
    const cards = await beside();
    expect(cards.textContent).toContain('the research cache cannot be read');
    expect(cards.textContent).toContain('failed');
  });
});
