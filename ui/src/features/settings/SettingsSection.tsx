import { failed } from '../../components/failure';
import { Select, Switch } from '../../components/fields';
import { Columns, Page, Panel } from '../../components/Page';
import { Failed, Waiting } from '../../components/State';
import { useSaveSettings, useSettings } from '../../ipc/hooks';
import { text } from '../../locales/en';
import {
  type RowDensity,
  setPreferences,
  type Theme,
  usePreferences,
} from '../../shell/preferences';
import { EditorPanel } from './EditorPanel';
import { KeyList } from './KeyList';
import { LockAfter } from './LockAfter';
import { RerankerPanel } from './RerankerPanel';
import css from './SettingsSection.module.css';

/** How many lines of its passage a result may show. */
const LINES = [1, 2, 3, 4, 5, 6].map((n) => ({ id: String(n), label: String(n) }));

function named(choices: Record<string, string>) {
  return Object.entries(choices).map(([id, label]) => ({ id, label }));
}

/** How the window looks and behaves. Every change counts at once. */
export function SettingsSection() {
  const settings = useSettings();
  const save = useSaveSettings();
  const look = usePreferences();
  const words = text.settings;
  const change = (request: Parameters<typeof save.mutate>[0]) =>
    save.mutate(request, { onError: failed });
  if (settings.error) {
    return <Failed error={settings.error} onRetry={() => void settings.refetch()} />;
  }
  if (!settings.data) return <Waiting />;
  const view = settings.data;
  const preset = view.presets.find((one) => one.name === view.preset);
  return (
    <Page title={words.title}>
      <Columns>
        <Panel title={words.look}>
          <div className={css.pair}>
            <Select
              label={words.theme}
              value={view.theme}
              choices={named(words.themes)}
              onChange={(theme) => {
                setPreferences({ theme: theme as Theme });
                change({ theme });
              }}
            />
            <Select
              label={words.density}
              value={look.density}
              choices={named(words.densities)}
              onChange={(density) => setPreferences({ density: density as RowDensity })}
            />
            <Select
              label={words.snippetLines}
              value={String(look.snippetLines)}
              choices={LINES}
              onChange={(lines) => setPreferences({ snippetLines: Number(lines) })}
            />
          </div>
          <Switch isSelected={look.wrapCode} onChange={(wrapCode) => setPreferences({ wrapCode })}>
            {words.wrapCode}
          </Switch>
        </Panel>
        <Panel title={words.safety}>
          <LockAfter />
        </Panel>
        <Panel title={words.retrieval}>
          <Select
            label={words.preset}
            value={view.preset}
            choices={view.presets.map(({ name }) => ({ id: name, label: name }))}
            onChange={(name) => change({ preset: name })}
            description={preset?.description || words.presetOwn}
          />
        </Panel>
        <EditorPanel
          command={view.editor}
          editors={view.editors}
          onChange={(editor) => change({ editor })}
        />
        <RerankerPanel />
        <Panel title={words.keyboard}>
          <KeyList />
        </Panel>
      </Columns>
    </Page>
  );
}
