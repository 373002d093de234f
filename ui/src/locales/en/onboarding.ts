/** The first window. */
import type { FolderOffer } from '../../ipc/bindings';
import { counted } from './common';
import { listed } from './format';

export const onboarding = {
  title: 'See what your agent remembers, and why it forgot',
  lead: 'Lethescope keeps your agents’ memory in one encrypted file on this machine and shows every step of how a query finds, or misses, a memory.',
  demoTitle: 'Open the demo memory',
  demoText:
    'Invented logs of five agents over several months, with a first query that misses on purpose. Nothing of yours is touched.',
  demoPoints: [
    'Ask for a fix that is in the memory, and see it missing.',
    'Read at which stage it was lost, and by how much.',
    'Take the smallest change that brings it back, and watch the list re-rank.',
  ],
  demoAction: 'Open the demo',
  demoWorking: 'Building the demo memory …',
  createTitle: 'Create my vault',
  createText:
    'Choose the passphrase that opens it. It is stored nowhere: without it nobody can read the vault, not even you.',
  found: (offers: readonly FolderOffer[]) => {
    const agents = [...new Set(offers.map(({ agent }) => agent))];
    return `This machine has logs of ${listed(agents)}. They are read, never changed.`;
  },
  logs: (n: number) => counted(n, 'log', 'logs'),
  foundNone: 'No agent’s logs were found here. You choose a folder afterwards.',
  createAndRead: (n: number) => `Create it and read ${counted(n, 'log', 'logs')}`,
  passphrase: 'Passphrase',
  again: 'Once more',
  createAction: 'Create the vault',
  createWorking: 'Creating …',
  mismatch: 'The two are not the same.',
  strengthHint: 'Four or more unrelated words are easy to keep and hard to guess.',
  strength: 'Strength',
  strengths: ['too weak', 'weak', 'fair', 'good', 'very good'],
  unlockTitle: 'Your vault is locked',
  unlockHint: 'The recovery code opens it too.',
  unlockAction: 'Unlock',
  unlockWorking: 'Unlocking …',
  keychainAction: 'Unlock with the system’s keychain',
  keychainWorking: 'Asking the keychain …',
  keychainAbsent: 'No keychain is running here, so the passphrase is needed.',
  keychainNoEntry:
    'This machine’s keychain has no entry for this vault, so the passphrase is needed: the entry was deleted, or the vault came from another machine.',
  orDemo: 'Look at the demo memory instead',
  keptIn: (folder: string) => `Kept in ${folder}`,
};
