/** The X-ray's keys. Esc closes what was opened last. */
import { useEffect } from 'react';
import { toast } from '../../components/Toast';
import { text } from '../../locales/en';
import { xray } from '../../locales/en/xray';
import { isKey, isTyping } from '../../shell/keyboard';
import { getPreferences, setPreferences } from '../../shell/preferences';
import { STAGES } from '../../trace/model';
import { openSource } from './editor';
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
        toQuestion();
      } else if (!act(event, store)) return;
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

/** Whether an overlay is open above the page, which takes the keys for itself. */
const isCovered = () => document.querySelector('[role="dialog"], [role="listbox"]') !== null;

/** Keys of what is read: one level back, why, narrow, and what is open. False when it is none. */
function act(event: KeyboardEvent, store: ReturnType<typeof xrayStore>): boolean {
  if (isCovered()) return false;
  if (isKey(event, 'close')) return close(event, store);
  if (isTyping(event.target)) return false;
  const { open, view, frozen } = store.get();
  if (isKey(event, 'why') && view && frozen === null) store.set({ tab: 'verdict' });
  else if (isKey(event, 'facets')) {
    const first = document.querySelector<HTMLElement>('[data-facets] button');
    if (first) first.focus();
    else return false;
  } else if (isKey(event, 'editor') && open !== null) openSource(open);
  else if (isKey(event, 'expect') && open !== null && frozen === null) store.expect(open);
  else return false;
  return true;
}

/** One level back: the open memory, the open stage, the list, and from the list to the question. */
function close(event: KeyboardEvent, store: ReturnType<typeof xrayStore>): boolean {
  const state = store.get();
  if (state.open !== null) store.closeMemory();
  else if (state.stage !== null) store.set({ stage: null });
  else if (state.tab !== 'results') store.set({ tab: 'results', left: store.row });
  else if (state.frozen !== null) store.closeStored();
  else if (!isTyping(event.target) && state.view) toQuestion();
  else return false;
  return true;
}

function toQuestion(): void {
  const input = document.querySelector<HTMLInputElement>('[data-xray-query]');
  input?.focus();
  input?.select();
}
