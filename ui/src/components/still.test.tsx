import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, it } from 'vitest';
import { Button } from './Button';
import { Dialog } from './Dialog';

function Page() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <div data-testid="long" style={{ overflowY: 'auto' }} />
      <div data-testid="short" style={{ overflowY: 'auto' }} />
      <Button onPress={() => setOpen(true)}>Open</Button>
      <Dialog title="Question" isOpen={open} onClose={() => setOpen(false)}>
        <div data-testid="inside" style={{ overflowY: 'auto' }} />
      </Dialog>
    </>
  );
}

it('holds what scrolls below a dialog still while it is open', async () => {
  const tall = Object.getOwnPropertyDescriptor(Element.prototype, 'scrollHeight');
  Object.defineProperty(HTMLElement.prototype, 'scrollHeight', {
    configurable: true,
    get(this: HTMLElement) {
      return this.dataset.testid === 'short' ? 100 : 5000;
    },
  });
  try {
    render(<Page />);
    const person = userEvent.setup();
    await person.click(screen.getByRole('button', { name: 'Open' }));
    await screen.findByRole('dialog');
    const overflow = (id: string) => screen.getByTestId(id).style.overflow;
    expect(overflow('long')).toBe('hidden');
    expect(overflow('inside')).not.toBe('hidden');
    expect(overflow('short')).not.toBe('hidden');
    await person.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(overflow('long')).not.toBe('hidden');
    expect(screen.getByTestId('long').style.overflowY).toBe('auto');
  } finally {
    Reflect.deleteProperty(HTMLElement.prototype, 'scrollHeight');
    if (tall) Object.defineProperty(Element.prototype, 'scrollHeight', tall);
  }
});
