/** Invented rerankers: one folder that works, and a service that is set up but never asked. */
import type { EdgeFailure } from '../backend';
import type { ErrorCode, PresetView, RerankerRequest, RerankersView } from '../bindings';

/** The one folder with a cross-encoder in it. */
export const FOLDER = '/home/ada/models/cross-encoder';

export function rerankers(
  presets: () => PresetView[],
  failure: (code: ErrorCode, args?: Record<string, string>) => EdgeFailure,
) {
  let view: RerankersView = { backend: 'embedded', cross_encoder: null, service: null };
  const take = (next: RerankersView) => {
    view = next;
    for (const preset of presets()) {
      if (preset.builtin) preset.constants = { ...preset.constants, rerank: view.backend };
    }
    return view;
  };
  return {
    rerankers: async () => view,
    useReranker: async (request: RerankerRequest) => {
      const { backend } = request;
      if (backend === 'cross_encoder') {
        const folder = request.folder ?? view.cross_encoder?.folder ?? '';
        if (folder !== FOLDER) {
          throw failure('bad_request', {
            what: folder,
            expected: 'a folder with model.onnx: model.onnx is missing or cannot be read',
          });
        }
        const name = 'cross-encoder/cross-encoder-0a1b2c3d';
        return take({ ...view, backend, cross_encoder: { folder, name, fault: null } });
      }
      if (backend === 'http') {
        if (!request.sends_texts) throw failure('bad_request', { what: 'sends_texts' });
        if (!request.endpoint?.startsWith('https://')) {
          throw failure('bad_request', {
            what: 'endpoint',
            expected: 'plain HTTP to another machine would show key and memories on the way',
          });
        }
        return take({
          ...view,
          backend,
          service: {
            endpoint: request.endpoint,
            model: request.model ?? '',
            scale: request.scale ?? 'probability',
            key_stored: Boolean(request.key) || (view.service?.key_stored ?? false),
            breaker: { state: 'closed', remaining_seconds: 0, cause: null },
          },
        });
      }
      return take({ ...view, backend });
    },
    forgetRerankService: async () =>
      take({
        ...view,
        service: null,
        backend: view.backend === 'http' ? 'embedded' : view.backend,
      }),
    /** The service fails: its breaker opens. */
    trip: (remaining_seconds: number) => {
      if (!view.service) return;
      const breaker = { state: 'open', remaining_seconds, cause: 'rate_limited' } as const;
      view = { ...view, service: { ...view.service, breaker } };
    },
  };
}
