import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { MemoriesSection } from '../features/memories/MemoriesSection';
import { SettingsSection } from '../features/settings/SettingsSection';
import { SourcesSection } from '../features/sources/SourcesSection';
import { VaultSection } from '../features/vault/VaultSection';
import type { StatusView } from '../ipc/bindings';
import { useOnNotice, useSettings } from '../ipc/hooks';
import { text } from '../locales/en';
import { noteArrivals } from '../shell/arrivals';
import { useFocusKept } from '../shell/focus';
import { isKey, isTyping } from '../shell/keyboard';
import { setPreferences, type Theme } from '../shell/preferences';
import { navigate, SECTIONS, type Section, useRoute } from '../shell/route';
import { useUndo } from '../shell/undo';
import { KeyMap } from './KeyMap';
import { ModelBanner } from './ModelBanner';
import { Nav } from './Nav';
import { Palette } from './Palette';
import css from './Shell.module.css';

const XraySection = lazy(() =>
  import('../features/xray').then((all) => ({ default: all.XraySection })),
);
const TuningSection = lazy(() =>
  import('../features/tuning').then((all) => ({ default: all.TuningSection })),
);

const PAGES: Record<Section, React.ComponentType> = {
  xray: XraySection,
  memories: MemoriesSection,
  tuning: TuningSection,
  sources: SourcesSection,
  vault: VaultSection,
  settings: SettingsSection,
};

/** The window of an open vault. */
export function Shell({ status }: { status: StatusView }) {
  const { section } = useRoute();
  const [palette, setPalette] = useState(false);
  const [keyMap, setKeyMap] = useState(false);
  const main = useRef<HTMLElement>(null);
  useFocusKept(main);
  const undo = useUndo();
  useOnNotice((notice) => notice.type === 'memories' && noteArrivals(notice.added));
  useStoredTheme();

  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (isKey(event, 'map') && !isTyping(event.target)) {
        setKeyMap(true);
        event.preventDefault();
        return;
      }
      if (event.shiftKey) return;
      const place = SECTIONS[Number(isKey(event, 'section')) - 1];
      if (isKey(event, 'palette')) setPalette((open) => !open);
      else if (place) navigate(place);
      else if (isKey(event, 'undo') && !isTyping(event.target)) undo();
      else return;
      event.preventDefault();
    };
    window.addEventListener('keydown', pressed);
    return () => window.removeEventListener('keydown', pressed);
  }, [undo]);

  const Page = PAGES[section];
  return (
    <div className={css.shell}>
      <Nav status={status} section={section} onPalette={() => setPalette(true)} />
      <div className={css.side}>
        <ModelBanner status={status} />
        <div className={css.place}>
          <main ref={main} className={css.main} aria-label={text.app.sections[section]}>
            <Suspense fallback={null}>
              <Page key={section} />
            </Suspense>
          </main>
        </div>
      </div>
      <KeyMap isOpen={keyMap} onClose={() => setKeyMap(false)} />
      <Palette status={status} isOpen={palette} onClose={() => setPalette(false)} />
    </div>
  );
}

/** The vault's theme wins over what this machine remembered. */
function useStoredTheme() {
  const theme = useSettings().data?.theme;
  useEffect(() => {
    if (theme === 'light' || theme === 'dark' || theme === 'system') {
      setPreferences({ theme: theme satisfies Theme });
    }
  }, [theme]);
}
