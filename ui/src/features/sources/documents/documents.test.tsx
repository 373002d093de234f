import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { findings } from '../../../testing/axe';
import { renderWithCore } from '../../../testing/render';
import { SourcesSection } from '../SourcesSection';

async function section(tab: 'Documents' | 'Past research') {
  const all = renderWithCore(<SourcesSection />);
  await all.person.click(await screen.findByRole('tab', { name: tab }));
  return all;
}

describe('documents', () => {
  it('are listed and read as the text they are', async () => {
    const { person, core } = await section('Documents');
    await core.storeDocument({
      id: 'hostile',
      title: '',
      content: '<img src=x onerror=alert(1)> and <b>bold</b>',
    });
    await person.click(await screen.findByRole('button', { name: 'Read runbook' }));
    const dialog = await screen.findByRole('dialog', { name: 'Payment gateway runbook' });
    expect(await within(dialog).findByText(/run the migrations first/)).toBeInTheDocument();
    expect(await findings()).toEqual([]);
    await person.click(within(dialog).getByRole('button', { name: 'Close' }));
  });

  it('come in from a file or as pasted text, and say when a secret was masked', async () => {
    const { person, core } = await section('Documents');
    await person.click(await screen.findByRole('button', { name: 'Browse …' }));
    await person.click(screen.getByRole('button', { name: 'Take it in' }));
    expect(await screen.findByRole('button', { name: 'Read decisions.md' })).toBeInTheDocument();

    await person.type(screen.getByRole('textbox', { name: 'File' }), '/missing/note.md');
    await person.click(screen.getByRole('button', { name: 'Take it in' }));
    expect((await screen.findByRole('alert')).textContent).toContain('(/missing/note.md)');

    await person.click(screen.getByRole('button', { name: /From/ }));
    await person.click(await screen.findByRole('option', { name: 'pasted text' }));
    expect(screen.queryByRole('alert')).toBeNull();
    const take = screen.getByRole('button', { name: 'Take it in' });
    expect(take).toBeDisabled();
    await person.type(screen.getByRole('textbox', { name: 'Id' }), 'keys');
    await person.type(
      screen.getByRole('textbox', { name: 'Text' }),
      `open with ghp_${'a1b2c3d4e5f6'.repeat(3)}`,
    );
    await person.click(take);
    expect(await screen.findByText(/secrets in it were masked/)).toBeInTheDocument();
    expect((await core.document('keys')).content).toBe('open with [secret:github-token]');
  });

  it('are searched by chunk, and nothing found is said', async () => {
    const { person } = await section('Documents');
    const search = await screen.findByRole('searchbox', { name: 'Search the documents' });
    await person.type(search, 'migrations');
    const found = await screen.findByRole('list', { name: 'Chunks found, best first' });
    expect(within(found).getByText('Payment gateway runbook, chunk 1 of 1')).toBeInTheDocument();
    await person.clear(search);
    await person.type(search, 'zebra');
    expect(await screen.findByText('No chunk answers “zebra”.')).toBeInTheDocument();
  });

  it('leave only after a question, and an empty list says what belongs there', async () => {
    const { person, core } = await section('Documents');
    await person.click(await screen.findByRole('button', { name: 'Delete runbook' }));
    const dialog = await screen.findByRole('alertdialog', { name: 'Delete runbook?' });
    expect(within(dialog).getByText(/cannot be undone/)).toBeInTheDocument();
    await person.click(within(dialog).getByRole('button', { name: 'Keep it' }));
    expect(await core.documents()).toHaveLength(1);
    await person.click(screen.getByRole('button', { name: 'Delete runbook' }));
    await person.click(
      within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Delete' }),
    );
    expect(await screen.findByText('No document yet')).toBeInTheDocument();
    expect(await core.documents()).toEqual([]);
  });
});

describe('past research', () => {
  it('is listed, read with its sources, and forgotten', async () => {
    const { person } = await section('Past research');
    await person.click(await screen.findByRole('button', { name: 'Read rust async runtimes' }));
    const dialog = await screen.findByRole('dialog', { name: 'rust async runtimes' });
    expect(within(dialog).getByText(/Two are in wide use/)).toBeInTheDocument();
    // An address is text: nothing in the window opens it.
    expect(within(dialog).getByText('https://example.invalid/runtimes')).toBeInTheDocument();
    expect(within(dialog).queryByRole('link')).toBeNull();
    expect(await findings()).toEqual([]);
    await person.click(within(dialog).getByRole('button', { name: 'Close' }));
    await person.click(await screen.findByRole('button', { name: 'Forget “rust async runtimes”' }));
    await person.click(
      within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Forget' }),
    );
    await waitFor(() => expect(screen.getByText('No research is kept yet')).toBeInTheDocument());
  });
});
