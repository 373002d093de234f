import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { FOLDER } from '../../ipc/fake/rerankers';
import { Breaker } from '../../stages/rerank/Breaker';
import { findings } from '../../testing/axe';
import { renderWithCore } from '../../testing/render';
import { RerankerPanel } from './RerankerPanel';

type Person = ReturnType<typeof renderWithCore>['person'];

async function choose(person: Person, name: RegExp) {
  await person.click(await screen.findByRole('button', { name: /Reranker$/ }));
  await person.click(await screen.findByRole('option', { name }));
}

describe('choosing a reranker', () => {
  it('says which one is in use and turns it off', async () => {
    const { core, person } = renderWithCore(<RerankerPanel />);
    expect(
      await screen.findByRole('button', { name: /Embedded: late interaction \(in use\)/ }),
    ).toBeInTheDocument();
    await choose(person, /^Off/);
    await person.click(screen.getByRole('button', { name: 'Use it' }));
    await waitFor(async () => expect((await core.rerankers()).backend).toBe('off'));
    const { presets } = await core.settings();
    expect(
      presets.filter((one) => one.builtin).every((one) => one.constants.rerank === 'off'),
    ).toBe(true);
    expect(await findings()).toEqual([]);
  });

  it('names what is missing in a folder, and takes one that works', async () => {
    const { core, person } = renderWithCore(<RerankerPanel />);
    await choose(person, /Cross-encoder/);
    const folder = screen.getByRole('textbox', { name: 'Folder' });
    await person.type(folder, '/home/ada/nothing');
    await person.click(screen.getByRole('button', { name: 'Use it' }));
    expect(await screen.findByText(/model.onnx is missing/)).toBeInTheDocument();
    expect((await core.rerankers()).backend).toBe('embedded');
    await person.clear(folder);
    await person.type(folder, FOLDER);
    await person.click(screen.getByRole('button', { name: 'Use it' }));
    expect(await screen.findByText(/cross-encoder-0a1b2c3d/)).toBeInTheDocument();
  });

  it('sends nothing before consent, keeps the key to itself, and forgets it', async () => {
    const { core, person } = renderWithCore(<RerankerPanel />);
    await choose(person, /Service over HTTP/);
    expect(screen.getByText(/are sent to this address/)).toBeInTheDocument();
    await person.click(screen.getByRole('button', { name: 'Jina' }));
    await person.type(screen.getByLabelText('Key'), 'sk-invented');
    const take = screen.getByRole('button', { name: 'Use it' });
    expect(take).toBeDisabled();
    await person.click(screen.getByRole('switch', { name: /Send queries and memory texts/ }));
    await person.click(take);
    expect(await screen.findByText(/A key is stored in the vault/)).toBeInTheDocument();
    expect(screen.getByLabelText('Key')).toHaveValue('');
    expect(document.body.innerHTML).not.toContain('sk-invented');
    expect((await core.rerankers()).service?.endpoint).toBe('https://api.jina.ai/v1/rerank');
    expect(await findings()).toEqual([]);

    await person.clear(screen.getByRole('textbox', { name: 'Address' }));
    await person.type(
      screen.getByRole('textbox', { name: 'Address' }),
      'http://far.invalid/rerank',
    );
    expect(screen.getByText(/was given for another address/)).toBeInTheDocument();
    await person.click(screen.getByRole('switch', { name: /Send queries/ }));
    await person.click(screen.getByRole('button', { name: 'Use it' }));
    expect(await screen.findByText(/plain HTTP to another machine/)).toBeInTheDocument();

    await person.click(screen.getByRole('button', { name: 'Forget service and key' }));
    await waitFor(async () => expect((await core.rerankers()).service).toBeNull());
  });
});

describe('the breaker', () => {
  it('says for how much longer the service is left alone', async () => {
    const { core } = renderWithCore(<p>nothing</p>);
    await core.useReranker({
      backend: 'http',
      endpoint: 'https://rerank.invalid/v1/rerank',
      model: 'm',
      sends_texts: true,
    });
    core.trip(27);
    renderWithCore(<Breaker />, { core });
    expect(await screen.findByText('paused 27 s (rate limit)')).toBeInTheDocument();
    core.trip(26);
    expect(
      await screen.findByText('paused 26 s (rate limit)', {}, { timeout: 3000 }),
    ).toBeInTheDocument();
  });
});
