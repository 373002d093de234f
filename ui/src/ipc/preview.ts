/** The invented core as `vite --mode fake` shows it; the address says which state to show. */
import { createFake, type Fake } from './fake';

declare global {
  interface Window {
    /** Handles for whoever looks at the preview. */
    fake?: Fake;
  }
}

/** `?vault=none|locked|open|mine|damaged`, `?model=missing`, `?memories=N`, `?live=1` lets logs grow. */
export function previewCore(options: URLSearchParams): Fake {
  const vault = options.get('vault');
  const core = createFake({
    vault: vault === 'none' || vault === 'locked' ? vault : 'open',
    demo: vault !== 'mine' && vault !== 'damaged',
    damaged: vault === 'damaged',
    memories: Number(options.get('memories') ?? 420),
    model:
      options.get('model') === 'missing'
        ? { state: 'missing', reason: 'model_int8.onnx was not found. Run the set-up again.' }
        : undefined,
    delay: Number(options.get('delay') ?? 0),
    watching: options.get('watching') !== '0',
  });
  if (options.has('live')) setInterval(() => core.arrive(1), 4000);
  window.fake = core;
  return core;
}
