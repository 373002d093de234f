/** After how long without input the vault locks. */
import { failed } from '../../components/failure';
import { Select } from '../../components/fields';
import { useSaveSettings, useSettings } from '../../ipc/hooks';
import { text } from '../../locales/en';

const words = text.settings;

export function LockAfter() {
  const settings = useSettings();
  const save = useSaveSettings();
  if (!settings.data) return null;
  const { lock_after_minutes: after } = settings.data;
  const minutes = String(after);
  // Integer-like keys come in ascending order, which would put "never" first.
  const choices = Object.entries(words.lockChoices)
    .map(([id, label]) => ({ id, label }))
    .sort((a, b) => Number(a.id === '0') - Number(b.id === '0'));
  if (!(minutes in words.lockChoices)) {
    choices.unshift({ id: minutes, label: words.minutes(after) });
  }
  return (
    <Select
      label={words.lockAfter}
      value={minutes}
      choices={choices}
      onChange={(id) => save.mutate({ lock_after_minutes: Number(id) }, { onError: failed })}
      description={words.lockHint}
    />
  );
}
