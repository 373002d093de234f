/** / focuses the query, Alt+H lists past queries, Alt+1…7 opens a stage, Esc closes what was opened last. */
import { useEffect } from 'react';
import { STAGES } from './model';
import { xrayStore } from './store';

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest('input:not([type="range"]), textarea, select, [contenteditable]') !== null
  );
}

export function useShortcuts(): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey) return;
      const store = xrayStore();
      const state = store.get();
      if (event.altKey) {
        if (event.code === 'KeyH') {
          event.preventDefault();
          store.set({ history: true });
          return;
        }
        // The digit's key, whatever Alt makes of the character on this keyboard.
        const stage = STAGES[Number(/^(?:Digit|Numpad)([1-7])$/.exec(event.code)?.[1]) - 1];
        if (!stage || !state.view) return;
        event.preventDefault();
        store.set({ stage: state.stage === stage ? null : stage });
        return;
      }
      if (event.key === '/' && !isTyping(event.target)) {
        event.preventDefault();
        const input = document.querySelector<HTMLInputElement>('[data-xray-query]');
        input?.focus();
        input?.select();
        return;
      }
      // An overlay above the page takes Escape for itself.
      if (event.key !== 'Escape' || document.querySelector('[role="dialog"], [role="listbox"]'))
        return;
      if (state.open !== null) store.closeMemory();
      else if (state.stage !== null) store.set({ stage: null });
      else if (state.tab !== 'results') store.set({ tab: 'results' });
      else if (state.frozen !== null) store.closeStored();
    };
    window.addEventListener('keydown', pressed);
    return () => window.removeEventListener('keydown', pressed);
  }, []);
}
