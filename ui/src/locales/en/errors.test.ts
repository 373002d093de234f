import { expect, it } from 'vitest';
import type { ErrorCode } from '../../ipc/bindings';
import bindings from '../../ipc/bindings.ts?raw';
import { errorSentence } from './errors';

/** Read from the generated file, so that a new code without a sentence fails here too. */
function codes(): ErrorCode[] {
  const union = bindings.match(/export type ErrorCode =([^;]+);/)?.[1] ?? '';
  return [...union.matchAll(/"([a-z_]+)"/g)].map(([, code]) => code as ErrorCode);
}

it('has a sentence of its own for every code', () => {
  const found = codes();
  expect(found.length).toBeGreaterThan(10);
  const sentences = found.map((code) =>
    errorSentence({ code, args: {}, retryable: false, trace_id: '' }),
  );
  expect(new Set(sentences).size).toBe(found.length);
  for (const sentence of sentences) expect(sentence).toMatch(/^[A-Z].*\.$/);
});

it('names the path that could not be read', () => {
  const edge = {
    code: 'unreadable',
    args: { path: '/gone' },
    retryable: false,
    trace_id: '',
  } as const;
  expect(errorSentence(edge)).toContain('/gone');
});
