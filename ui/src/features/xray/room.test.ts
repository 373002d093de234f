import { expect, it } from 'vitest';
import { chipWidth, fitting } from './room';

it('folds what has no room into a menu, and only then needs room for the menu', () => {
  expect(fitting([50, 50, 50], 150, 60)).toBe(3);
  expect(fitting([50, 50, 50], 149, 60)).toBe(1);
  expect(fitting([50, 50, 50], 100, 60)).toBe(0);
  expect(fitting([], 10, 60)).toBe(0);
});

it('knows that a longer word and a longer count take more room', () => {
  expect(chipWidth('answers', 4)).toBeGreaterThan(chipWidth('user', 4));
  expect(chipWidth('user', 1204)).toBeGreaterThan(chipWidth('user', 4));
});
