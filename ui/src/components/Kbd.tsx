import css from './Kbd.module.css';

const onMac = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.platform);

/** A chord as this machine writes it; `Mod` is ⌘ on a Mac and Ctrl elsewhere. */
export function chord(keys: string): string {
  return keys.replaceAll('Mod', onMac ? '⌘' : 'Ctrl');
}

/** A key or a chord; `Mod` is ⌘ on a Mac and Ctrl elsewhere. */
export function Kbd({ keys }: { keys: string }) {
  return <kbd className={css.kbd}>{chord(keys)}</kbd>;
}
