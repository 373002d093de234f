import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import { findings } from '../testing/axe';
import { Chip, ChipButton, ChipFilter, ChipSelect } from './Chip';
import { CopyNumber } from './CopyNumber';
import { Dialog } from './Dialog';
import { Select, Switch, TextField } from './fields';
import { Highlighted } from './Highlighted';
import { Progress } from './Progress';
import { clearToasts, Toasts, toast } from './Toast';

it('shows hostile text as text', () => {
  const text = '<img src=x onerror=alert(1)> & <b>bold</b>';
  const { container } = render(
    <p>
      <Highlighted
        text={text}
        marks={[
          { start: 5, end: 8 },
          { start: 6, end: 9 },
          { start: 90, end: 99 },
        ]}
      />
    </p>,
  );
  expect(container.textContent).toBe(text);
  expect(container.querySelectorAll('img, b')).toHaveLength(0);
  expect([...container.querySelectorAll('mark')].map((mark) => mark.textContent)).toEqual(['src']);
});

function Filtering() {
  const [agents, setAgents] = useState<string[]>([]);
  return (
    <ChipFilter
      label="agent"
      any="any"
      empty="nothing"
      selected={agents}
      onChange={setAgents}
      choices={[
        { id: 'codex', label: 'codex', count: 3 },
        { id: 'hermes', label: 'hermes', count: 1200 },
      ]}
    />
  );
}

it('filters by several values from the keyboard', async () => {
  render(<Filtering />);
  const person = userEvent.setup();
  await person.tab();
  await person.keyboard('{Enter}');
  await person.click(await screen.findByRole('option', { name: /codex/ }));
  await person.click(screen.getByRole('option', { name: /hermes/ }));
  expect(await findings()).toEqual([]);
  await person.keyboard('{Escape}');
  expect(screen.getByRole('button').textContent).toContain('codex, hermes');
});

it('chooses one of several', async () => {
  const change = vi.fn();
  render(
    <ChipSelect
      label="mode"
      value="hybrid"
      onChange={change}
      choices={[
        { id: 'hybrid', label: 'hybrid' },
        { id: 'lexical', label: 'lexical', hint: 'words alone' },
      ]}
    />,
  );
  const person = userEvent.setup();
  await person.click(screen.getByRole('button'));
  await person.click(await screen.findByRole('option', { name: /lexical/ }));
  expect(change).toHaveBeenCalledWith('lexical');
});

it('copies the exact number', async () => {
  const person = userEvent.setup();
  const write = vi.spyOn(navigator.clipboard, 'writeText');
  render(<CopyNumber shown="0.61" exact="0.6123456789" label="cosine" />);
  await person.click(screen.getByRole('button', { name: 'cosine: 0.61, copy' }));
  expect(write).toHaveBeenCalledWith('0.6123456789');
  expect(await screen.findByRole('button', { name: 'cosine: 0.61, copied' })).toBeTruthy();
});

it('closes a dialog with Escape but not by accident', async () => {
  const close = vi.fn();
  render(
    <Dialog title="Purge?" role="alertdialog" isOpen onClose={close}>
      for ever
    </Dialog>,
  );
  expect(screen.getByRole('alertdialog', { name: 'Purge?' })).toBeTruthy();
  await userEvent.setup().keyboard('{Escape}');
  expect(close).toHaveBeenCalledOnce();
});

it('offers the way back once', async () => {
  clearToasts();
  const undo = vi.fn();
  render(<Toasts />);
  toast('Deleted.', { undo });
  const person = userEvent.setup();
  await person.click(await screen.findByRole('button', { name: 'Undo' }));
  expect(undo).toHaveBeenCalledOnce();
  expect(screen.queryByText('Deleted.')).toBeNull();
});

it('has no accessibility finding', async () => {
  render(
    <>
      <Chip label="as of" value="now" />
      <ChipButton label="agent" value="codex" isOn onPress={() => {}} />
      <Progress label="Reading" value={3} total={9} note="3 of 9" />
      <Progress label="Looking" value={0} total={null} />
      <TextField label="Path" value="" onChange={() => {}} error="not there" />
      <TextField label="Text" value="a" onChange={() => {}} rows={3} />
      <Select
        label="Theme"
        value="dark"
        onChange={() => {}}
        choices={[{ id: 'dark', label: 'dark' }]}
      />
      <Switch isSelected={false} onChange={() => {}}>
        Sub-agents
      </Switch>
      <Toasts />
    </>,
  );
  expect(await findings()).toEqual([]);
});
