import { renderHook } from '@testing-library/react';
import { expect, it } from 'vitest';
import { secondsLeft, useEmbedding } from './embedding';

it('tells the time that is left from the pace so far, and none before there is a pace', () => {
  expect(secondsLeft({ at: 0, done: 0 }, { at: 10_000, done: 100 }, 400)).toBe(30);
  expect(secondsLeft({ at: 0, done: 90 }, { at: 10_000, done: 100 }, 400)).toBeNull();
  expect(secondsLeft({ at: 0, done: 0 }, { at: 1000, done: 100 }, 400)).toBeNull();
});

it('is silent once all is embedded, and where no model works on it', () => {
  const ready = { state: 'ready' as const, id: 'm', dimension: 384 };
  const behind = (model: Parameters<typeof useEmbedding>[0] & object) =>
    renderHook(() => useEmbedding(model)).result.current;
  expect(behind({ model: ready, embedded: 5, embeddable: 9 })).toMatchObject({ done: 5, total: 9 });
  expect(behind({ model: ready, embedded: 9, embeddable: 9 })).toBeNull();
  expect(
    behind({ model: { state: 'missing', reason: '' }, embedded: 0, embeddable: 9 }),
  ).toBeNull();
});
