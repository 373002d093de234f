import type { KeySlotView } from '../../ipc/bindings';
import { text } from '../../locales/en';

const { kinds } = text.vault.keys;

/** What something that opens the vault is called. */
export function kindOf(slot: KeySlotView): string {
  return kinds[slot.kind] ?? kinds.unknown ?? slot.kind;
}
