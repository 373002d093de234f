/** Locks the vault when nobody has touched the window for as long as the settings say. */
import { useEffect, useState } from 'react';
import { useLock } from '../ipc/hooks';

const INPUTS = ['pointerdown', 'pointermove', 'keydown', 'wheel'] as const;

/**
 * Seconds until the vault locks; null when it never does.
 *
 * The wall clock is compared, not ticks counted, so that a machine that slept locks on waking.
 */
export function useIdleLock(minutes: number): number | null {
  const lock = useLock();
  const [left, setLeft] = useState<number | null>(minutes > 0 ? minutes * 60 : null);
  useEffect(() => {
    if (minutes <= 0) {
      setLeft(null);
      return;
    }
    const limit = minutes * 60_000;
    let last = Date.now();
    let locking = false;
    const touched = () => {
      last = Date.now();
    };
    const look = () => {
      const rest = last + limit - Date.now();
      setLeft(Math.max(0, Math.ceil(rest / 1000)));
      if (rest > 0 || locking) return;
      locking = true;
      // A failed lock is tried again a second later: an open vault must not stay open.
      lock().catch(() => {
        locking = false;
      });
    };
    look();
    const timer = setInterval(look, 1000);
    for (const input of INPUTS)
      window.addEventListener(input, touched, { passive: true, capture: true });
    return () => {
      clearInterval(timer);
      for (const input of INPUTS) window.removeEventListener(input, touched, { capture: true });
    };
  }, [minutes, lock]);
  return left;
}

/** 252 → "4:12". */
export function clock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
