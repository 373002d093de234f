import { expect, it } from 'vitest';
import { common } from './common';
import { age } from './format';

it('is told in one unit wherever it stands', () => {
  for (const days of [0, 0.3, 4, 99, 289, 800]) expect(common.age(days)).toBe(age(days));
  expect(common.age(289)).toBe('9 mo');
  expect(common.age(null)).toBe('age unknown');
});
