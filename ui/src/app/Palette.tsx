/** The command palette: everything the window can do, by name. */
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Autocomplete, useFilter } from 'react-aria-components/Autocomplete';
import { Dialog } from 'react-aria-components/Dialog';
import { Input } from 'react-aria-components/Input';
import { Keyboard } from 'react-aria-components/Keyboard';
import { Menu, MenuItem } from 'react-aria-components/Menu';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { SearchField } from 'react-aria-components/SearchField';
import { StillBelow } from '../components/Dialog';
import { failed } from '../components/failure';
import { chord } from '../components/Kbd';
import { backend } from '../ipc/backend';
import type { StatusView } from '../ipc/bindings';
import { useLock } from '../ipc/hooks';
import { keys } from '../ipc/keys';
import { text } from '../locales/en';
import { openBook, PLACE_OF, PLACES } from '../shell/book';
import { written } from '../shell/keyboard';
import { setPreferences, type Theme } from '../shell/preferences';
import { currentRoute, navigate, SECTIONS } from '../shell/route';
import { useUndo } from '../shell/undo';
import css from './Palette.module.css';

interface Command {
  id: string;
  name: string;
  hint?: string;
  run: () => void;
}

function useCommands(status: StatusView, typed: string): Command[] {
  const undo = useUndo();
  const lock = useLock();
  const client = useQueryClient();
  return useMemo(() => {
    const words = text.app.palette;
    const theme = (value: Theme) => () => {
      setPreferences({ theme: value });
      void backend()
        .saveSettings({ theme: value })
        .then((settings) => client.setQueryData(keys.settings, settings))
        .catch(failed);
    };
    const fixed: Command[] = [
      ...SECTIONS.map((section, index) => ({
        id: `go-${section}`,
        name: words.goTo(text.app.sections[section]),
        hint: written('section').replace(/^(\S+ ).*/, `$1${index + 1}`),
        run: () => navigate(section),
      })),
      {
        id: 'history',
        name: words.history,
        hint: written('history'),
        run: () => navigate('xray', { show: 'history' }),
      },
      {
        id: 'constants',
        name: words.constants,
        hint: written('constants'),
        run: () => navigate('xray', { show: 'constants' }),
      },
      { id: 'watch', name: words.watch, run: () => navigate('sources', { add: '1' }) },
      ...(status.undo === null
        ? []
        : [{ id: 'undo', name: words.undo(status.undo), hint: written('undo'), run: undo }]),
      {
        id: 'help',
        name: text.app.book.here,
        hint: written('help'),
        run: () => openBook(PLACE_OF[currentRoute().section]),
      },
      { id: 'book', name: text.app.book.all, run: () => openBook(PLACES.contents) },
      { id: 'light', name: words.light, run: theme('light') },
      { id: 'dark', name: words.dark, run: theme('dark') },
      { id: 'system', name: words.system, run: theme('system') },
      { id: 'lock', name: words.lock, run: () => void lock().catch(failed) },
    ];
    const asked = typed.trim();
    if (asked === '') return fixed;
    return [
      ...fixed,
      { id: 'find', name: words.find(asked), run: () => navigate('memories', { contains: asked }) },
      { id: 'ask', name: words.ask(asked), run: () => navigate('xray', { q: asked }) },
    ];
  }, [status.undo, typed, undo, lock, client]);
}

export function Palette(props: { status: StatusView; isOpen: boolean; onClose: () => void }) {
  return (
    <ModalOverlay
      isOpen={props.isOpen}
      onOpenChange={(open) => !open && props.onClose()}
      isDismissable
      className={css.shade ?? ''}
    >
      <Modal className={css.modal ?? ''}>
        <Dialog aria-label={text.app.palette.title} className={css.dialog ?? ''}>
          <StillBelow />
          <Commands status={props.status} onDone={props.onClose} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function Commands({ status, onDone }: { status: StatusView; onDone: () => void }) {
  const [typed, setTyped] = useState('');
  const commands = useCommands(status, typed);
  const { contains } = useFilter({ sensitivity: 'base' });
  return (
    <Autocomplete inputValue={typed} onInputChange={setTyped} filter={contains}>
      <SearchField autoFocus aria-label={text.app.palette.title} className={css.field ?? ''}>
        <Input className={css.input ?? ''} placeholder={text.app.palette.placeholder} />
      </SearchField>
      <Menu
        items={commands}
        aria-label={text.app.palette.title}
        className={css.menu ?? ''}
        renderEmptyState={() => <p className={css.none}>{text.app.palette.none}</p>}
        onAction={(key) => {
          onDone();
          commands.find((one) => one.id === key)?.run();
        }}
      >
        {(command) => (
          <MenuItem id={command.id} textValue={command.name} className={css.item ?? ''}>
            <span>{command.name}</span>
            {command.hint && <Keyboard>{chord(command.hint)}</Keyboard>}
          </MenuItem>
        )}
      </Menu>
    </Autocomplete>
  );
}
