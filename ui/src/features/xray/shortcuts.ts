/** The X-ray's keys. Esc closes what was opened last. */
import { useEffect } from 'react';
import { toast } from '../../components/Toast';
import { text } from '../../locales/en';
import { xray } from '../../locales/en/xray';
import { isKey, isTyping } from '../../shell/keyboard';
import { getPreferences, setPreferences } from '../../shell/preferences';
import { STAGES } from '../../trace/model';
import { xrayStore } from './store';

export function useShortcuts(): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return;
      const store = xrayStore();
      const state = store.get();
      const stage = STAGES[Number(isKey(event, 'stage')) - 1];
      if (isKey(event, 'history')) store.set({ history: true });
      else if (isKey(event, 'constants')) {
        setPreferences({ allConstants: !getPreferences().allConstants });
      } else if (stage && state.view) {
        store.set({ stage: state.stage === stage ? null : stage });
      } else if (isKey(event, 'query') && !isTyping(event.target)) {
        const input = document.querySelector<HTMLInputElement>('[data-xray-query]');
        input?.focus();
        input?.select();
      } else {
        if (isKey(event, 'close')) close(store);
        return;
      }
      event.preventDefault();
    };
    window.addEventListener('keydown', pressed);
    window.addEventListener('keydown', unapply, true);
    return () => {
      window.removeEventListener('keydown', pressed);
      window.removeEventListener('keydown', unapply, true);
    };
  }, []);
}

/** What the verdict applied is taken back before the vault's own last change is. */
function unapply(event: KeyboardEvent): void {
  if (event.shiftKey || !isKey(event, 'undo') || isTyping(event.target)) return;
  if (!xrayStore().unapply()) return;
  event.preventDefault();
  event.stopPropagation();
  toast(text.app.undone(xray.verdict.applied));
}

function close(store: ReturnType<typeof xrayStore>): void {
  // An overlay above the page takes Escape for itself.
  if (document.querySelector('[role="dialog"], [role="listbox"]')) return;
  const state = store.get();
  if (state.open !== null) store.closeMemory();
  else if (state.stage !== null) store.set({ stage: null });
  else if (state.tab !== 'results') store.set({ tab: 'results' });
  else if (state.frozen !== null) store.closeStored();
}
