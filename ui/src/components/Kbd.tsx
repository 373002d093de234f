import css from './Kbd.module.css';

const onMac = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.platform);

/** A key or a chord; `Mod` is ⌘ on a Mac and Ctrl elsewhere. */
export function Kbd({ keys }: { keys: string }) {
  return <kbd className={css.kbd}>{keys.replaceAll('Mod', onMac ? '⌘' : 'Ctrl')}</kbd>;
}
