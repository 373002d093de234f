/** Presets: named sets of constants, kept in the vault's settings. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { failed } from '../../components/failure';
import { backend } from '../../ipc/backend';
import type { Constants, PresetView, SettingsView } from '../../ipc/bindings';
import { keys } from '../../ipc/keys';
import { xrayStore } from './store';

/** The preset in force, or the first one when its name is no longer known. */
export function presetInForce(settings: SettingsView): PresetView | undefined {
  return settings.presets.find((one) => one.name === settings.preset) ?? settings.presets[0];
}

/** Stores the constants under a name and takes the new preset into use here. */
export function useSavePreset() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ name, constants }: { name: string; constants: Constants }) =>
      backend().savePreset(name, constants),
    onSuccess: (settings, { name }) => {
      client.setQueryData(keys.settings, settings);
      const saved = settings.presets.find((one) => one.name === name);
      if (saved) xrayStore().applyPreset(saved);
    },
    onError: failed,
  });
}

/** Forgets a preset of the person's own. */
export function useDeletePreset() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (name: string) => backend().deletePreset(name),
    onSuccess: (settings) => client.setQueryData(keys.settings, settings),
    onError: failed,
  });
}
