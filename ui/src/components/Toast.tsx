/** Short news at the foot of the window, with a way back where there is one. */
import { useEffect, useState, useSyncExternalStore } from 'react';
import { text } from '../locales/en';
import { Button } from './Button';
import css from './Toast.module.css';

interface Toast {
  id: number;
  message: string;
  tone: 'plain' | 'bad';
  undo?: () => void;
}

let toasts: readonly Toast[] = [];
let lastId = 0;
const watchers = new Set<() => void>();

function change(next: readonly Toast[]) {
  toasts = next;
  for (const watcher of watchers) watcher();
}

/** Says something. With `undo` it stays ten seconds, otherwise five; the pointer or the focus on it keeps it. */
export function toast(message: string, options: { tone?: Toast['tone']; undo?: () => void } = {}) {
  lastId += 1;
  const next = { id: lastId, message, tone: options.tone ?? 'plain', undo: options.undo };
  // More than three at once would hide the page.
  change([...toasts.slice(-2), next]);
}

/** Takes every toast away, for example when the vault locks. */
export function clearToasts() {
  change([]);
}

function dismiss(id: number) {
  change(toasts.filter((one) => one.id !== id));
}

function Item({ held }: { held: Toast }) {
  const [kept, setKept] = useState(false);
  useEffect(() => {
    if (kept) return;
    const timer = setTimeout(() => dismiss(held.id), held.undo ? 10_000 : 5_000);
    return () => clearTimeout(timer);
  }, [held, kept]);
  return (
    <li
      className={css.toast}
      data-tone={held.tone}
      onPointerEnter={() => setKept(true)}
      onPointerLeave={() => setKept(false)}
      onFocus={() => setKept(true)}
      onBlur={() => setKept(false)}
    >
      <span>{held.message}</span>
      {held.undo && (
        <Button
          variant="quiet"
          onPress={() => {
            dismiss(held.id);
            held.undo?.();
          }}
        >
          {text.common.undo}
        </Button>
      )}
      <Button variant="quiet" aria-label={text.common.dismiss} onPress={() => dismiss(held.id)}>
        ×
      </Button>
    </li>
  );
}

/** Where toasts appear; mounted once. */
export function Toasts() {
  const held = useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => toasts,
  );
  return (
    <section aria-label={text.common.notifications} aria-live="polite" className={css.region}>
      <ul>
        {held.map((one) => (
          <Item key={one.id} held={one} />
        ))}
      </ul>
    </section>
  );
}
