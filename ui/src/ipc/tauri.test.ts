import { afterEach, expect, it, vi } from 'vitest';
import { EdgeFailure } from './backend';
import { tauriBackend } from './tauri';

const invoke = vi.hoisted(() => vi.fn());
vi.mock('@tauri-apps/api/core', () => ({ invoke }));

afterEach(() => invoke.mockReset());

it('unwraps an answer', async () => {
  invoke.mockResolvedValue(3);
  expect(await tauriBackend().deleteMemories(['m1', 'm2', 'm3'])).toBe(3);
  expect(invoke).toHaveBeenCalledWith('delete_memories', { ids: ['m1', 'm2', 'm3'] });
});

it('throws the error of the core as it is', async () => {
  const edge = { code: 'unreadable', args: { path: '/x' }, retryable: false, trace_id: 't1' };
  invoke.mockRejectedValue(edge);
  const failure = await tauriBackend()
    .sources()
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(EdgeFailure);
  expect((failure as EdgeFailure).edge).toEqual(edge);
});

it.each([['a bare string'], [new Error('bridge lost')], [null]])(
  'makes an internal error of %s',
  async (thrown) => {
    invoke.mockRejectedValue(thrown);
    const failure = await tauriBackend()
      .status()
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(EdgeFailure);
    expect((failure as EdgeFailure).edge.code).toBe('internal');
  },
);
