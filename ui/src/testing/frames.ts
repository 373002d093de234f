import { vi } from 'vitest';

/** Frames that come when a test says so. */
export function frames() {
  let waiting: FrameRequestCallback[] = [];
  vi.stubGlobal('requestAnimationFrame', (run: FrameRequestCallback) => waiting.push(run));
  vi.stubGlobal('cancelAnimationFrame', () => {
    waiting = [];
  });
  return (time: number) => {
    const now = waiting;
    waiting = [];
    for (const run of now) run(time);
  };
}
