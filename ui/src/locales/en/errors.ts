/** One sentence per error code: what happened and what to do. */
import type { EdgeError, ErrorCode } from '../../ipc/bindings';

type Sentence = (args: Record<string, string | undefined>) => string;

const at = (path: string | undefined) => (path ? ` (${path})` : '');

const sentences: Record<ErrorCode, Sentence> = {
  no_vault: () => 'There is no vault here yet. Create one, or open the demo memory.',
  vault_exists: () => 'There is a vault here already. Unlock it instead.',
  wrong_passphrase: () => 'That passphrase doesn’t open this vault. Nothing was changed.',
  weak_passphrase: () => 'That passphrase is too easy to guess. Take four or more unrelated words.',
  not_a_vault: ({ path, why, remedy }) =>
    `This vault can’t be opened${at(path)}: ${why ?? 'its files are not those of a vault'}. ${remedy ?? 'Restore a backup.'} Nothing was touched.`,
  damaged: () =>
    'This stands on a damaged page of the vault. The rest can be read. Repair, in the Vault section, saves every row that reads and sets the damaged file aside.',
  vault_too_new: ({ found, known }) =>
    `This vault was written by a newer Lethescope${found && known ? ` (schema ${found}, this one knows ${known})` : ''}. Update the program.`,
  locked: () => 'The vault is locked. Unlock it to go on.',
  keychain_absent: () =>
    'No keychain is running on this system. The passphrase still opens the vault.',
  keychain_locked: () =>
    'The system’s keychain is locked. Unlock it and try again, or type the passphrase.',
  keychain_no_entry: () =>
    'This machine’s keychain has no entry for this vault: it was deleted, or the vault came from another machine. The passphrase still opens it.',
  keychain_refused: ({ reason }) =>
    `The system’s keychain was of no use${reason ? `: ${reason}` : ''}. The passphrase still opens the vault.`,
  busy: () => 'Another program holds the vault. Close it there, then try again.',
  disk_full: () => 'The disk is full. Nothing was lost; free some space and try again.',
  not_found: () => 'That is no longer there.',
  conflict: () =>
    'It was changed meanwhile. What is stored now is shown; your text is still in the editor.',
  bad_request: ({ what, expected }) =>
    `That value can’t be used${what ? `: ${what}` : ''}.${expected ? ` Expected: ${expected}.` : ''}`,
  unreadable: ({ path, reason }) =>
    `This can’t be read${at(path)}${reason ? `: ${reason}` : ''}. Check that it exists and that you may read it.`,
  unwritable: ({ path, reason }) =>
    `This can’t be written${at(path)}${reason ? `: ${reason}` : ''}. Choose a folder that you may write to.`,
  cancelled: () => 'A newer query took this one’s place.',
  internal: () => 'Something broke inside. The log has the details.',
};

/** The sentence for an error of the core, with the mark that finds it in the log. */
export function errorSentence(error: EdgeError): string {
  const sentence = (sentences[error.code] ?? sentences.internal)(error.args);
  return error.code === 'internal' && error.trace_id
    ? `${sentence} Look for ${error.trace_id}.`
    : sentence;
}
