/** Words that every part of the window shares. */
import { age } from './format';

const number = new Intl.NumberFormat('en-US');
const dayOnly = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });
const date = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/** "1 memory", "2 memories", with grouped digits. */
export function counted(n: number, one: string, many: string): string {
  return `${number.format(n)} ${n === 1 ? one : many}`;
}

export const common = {
  appName: 'Lethescope',
  number: (n: number) => number.format(n),
  dateTime: (iso: string | null) => (iso ? date.format(new Date(iso)) : 'date unknown'),
  /** The first and the last day of something: "7 Jan 2026 – 17 May 2026"; empty when unknown. */
  days: (first: string | null, last: string | null) => {
    const days = [first, last].flatMap((at) => (at === null ? [] : [dayOnly.format(new Date(at))]));
    return [...new Set(days)].join(' – ');
  },
  memories: (n: number) => counted(n, 'memory', 'memories'),
  files: (n: number) => counted(n, 'file', 'files'),
  records: (n: number) => counted(n, 'record', 'records'),
  bytes: (n: number) => {
    const units = ['B', 'kB', 'MB', 'GB', 'TB'];
    let value = n;
    let unit = 0;
    while (value >= 1000 && unit < units.length - 1) {
      value /= 1000;
      unit += 1;
    }
    return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
  },
  /** In the units of the X-ray, so that one memory is as old in both. */
  age: (days: number | null) => (days === null ? 'age unknown' : age(days)),
  copy: 'copy',
  copied: 'copied',
  undo: 'Undo',
  dismiss: 'Dismiss',
  notifications: 'Notifications',
  cancel: 'Cancel',
  close: 'Close',
  save: 'Save',
  retry: 'Try again',
  loading: 'Loading …',
  any: 'any',
};
