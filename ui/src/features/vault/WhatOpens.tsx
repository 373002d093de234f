/** What opens the vault: passphrases and the recovery code, and everything that changes them. */
import { useState } from 'react';
import { Button } from '../../components/Button';
import { Panel } from '../../components/Page';
import { Failed, Waiting } from '../../components/State';
import type { KeySlotView } from '../../ipc/bindings';
import { useKeySlots } from '../../ipc/vault';
import { text } from '../../locales/en';
import { PLACES } from '../../shell/book';
import { HelpMark } from '../../shell/HelpMark';
import { Keychain } from './Keychain';
import { kindOf } from './kinds';
import { PassphraseDialog } from './PassphraseDialog';
import { RecoveryCodeDialog } from './RecoveryCodeDialog';
import { RekeyDialog } from './RekeyDialog';
import { RemoveSlotDialog } from './RemoveSlotDialog';
import css from './WhatOpens.module.css';

const words = text.vault.keys;

const TYPED = ['passphrase', 'recovery_code'];

type Open = 'change' | 'add' | 'draw' | 'rekey' | KeySlotView | null;

export function WhatOpens({ demo, folder }: { demo: boolean; folder: string }) {
  const slots = useKeySlots(!demo);
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  if (demo) {
    return (
      <Panel title={words.title} mark={<HelpMark place={PLACES.opens} about={words.title} />}>
        <p>{words.demo}</p>
      </Panel>
    );
  }
  const held = slots.data ?? [];
  const hasCode = held.some((slot) => slot.kind === 'recovery_code');
  // A keychain's entry can vanish: the last one that a person can type stays.
  const typed = held.filter((slot) => TYPED.includes(slot.kind));
  return (
    <Panel title={words.title} mark={<HelpMark place={PLACES.opens} about={words.title} />}>
      <p>{words.lead}</p>
      {slots.error ? (
        <Failed error={slots.error} onRetry={() => void slots.refetch()} />
      ) : slots.data ? (
        <ul className={css.slots} aria-label={words.list}>
          {held.map((slot) => (
            <Slot
              key={slot.number}
              slot={slot}
              isOnly={typed.length === 1 && typed[0] === slot}
              onRemove={() => setOpen(slot)}
            />
          ))}
        </ul>
      ) : (
        <Waiting />
      )}
      {typed.length === 1 && !hasCode && <p className={css.warning}>{words.noCode}</p>}
      <Keychain />
      <div className={css.actions}>
        <Button onPress={() => setOpen('change')}>{words.change}</Button>
        <Button onPress={() => setOpen('add')}>{words.add}</Button>
        <Button onPress={() => setOpen('draw')}>{words.draw}</Button>
        <Button onPress={() => setOpen('rekey')}>{words.rekey}</Button>
      </div>
      <PassphraseDialog how={open === 'change' || open === 'add' ? open : null} onClose={close} />
      <RecoveryCodeDialog
        isOpen={open === 'draw'}
        hasOne={hasCode}
        folder={folder}
        onClose={close}
      />
      <RekeyDialog isOpen={open === 'rekey'} folder={folder} onClose={close} />
      <RemoveSlotDialog slot={typeof open === 'object' ? open : null} onClose={close} />
    </Panel>
  );
}

function Slot(props: { slot: KeySlotView; isOnly: boolean; onRemove: () => void }) {
  const { slot } = props;
  const cost = words.costs[slot.kind]?.(slot.memory_mib, slot.passes);
  return (
    <li className={css.slot}>
      <span className={css.number}>{slot.number}</span>
      <span className={css.kind}>
        {kindOf(slot)}
        {cost && <small>{cost}</small>}
      </span>
      {!props.isOnly && (
        <Button
          variant="quiet"
          aria-label={words.removeNamed(kindOf(slot), slot.number)}
          onPress={props.onRemove}
        >
          {words.remove}
        </Button>
      )}
    </li>
  );
}
