import { describe, expect, it } from 'vitest';
import { text } from '../locales/en';
import { isKey, type KeyName, keysOf, PLACES } from './keyboard';

const pressed = (key: string, held: Partial<KeyboardEvent> = {}) => ({
  key,
  code: '',
  altKey: false,
  ctrlKey: false,
  metaKey: false,
  ...held,
});

describe('the keys of the window', () => {
  it.each<[KeyName, ReturnType<typeof pressed>, string | null]>([
    ['palette', pressed('K', { ctrlKey: true }), 'k'],
    ['palette', pressed('k', { metaKey: true }), 'k'],
    ['palette', pressed('k'), null],
    ['section', pressed('3', { ctrlKey: true }), '3'],
    ['section', pressed('7', { ctrlKey: true }), null],
    ['stage', pressed('£', { altKey: true, code: 'Digit3' }), '3'],
    ['stage', pressed('3', { code: 'Digit3' }), null],
    ['stage', pressed('8', { altKey: true, code: 'Digit8' }), '8'],
    ['stage', pressed('9', { altKey: true, code: 'Digit9' }), null],
    ['history', pressed('˙', { altKey: true, code: 'KeyH' }), 'KeyH'],
    ['judge', pressed('0'), '0'],
    ['judge', pressed('0', { ctrlKey: true }), null],
    ['edit', pressed('e', { ctrlKey: true }), null],
    ['close', pressed('Escape'), 'escape'],
  ])('%s', (name, event, found) => expect(isKey(event, name)).toBe(found));

  it('are all explained, each once', () => {
    const names = PLACES.flatMap((place) => keysOf(place).map(([name]) => name));
    expect(new Set(names).size).toBe(names.length);
    expect(names.toSorted()).toEqual(Object.keys(text.settings.keys).toSorted());
  });
});
