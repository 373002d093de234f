/** What is said about choosing a reranker. */
import type { BreakerStateView, RerankBackend } from '../../ipc/bindings';

export const reranker = {
  title: 'Reranker',
  lead: 'Who reads query and memory together, in every preset that ships with the program.',
  label: 'Reranker',
  backends: {
    embedded: 'Embedded: late interaction',
    cross_encoder: 'Cross-encoder in a folder',
    http: 'Service over HTTP',
    off: 'Off',
  } as Record<RerankBackend, string>,
  hints: {
    embedded: 'Needs nothing but the embedding model. Nothing leaves this machine.',
    cross_encoder:
      'A second model of your own: a folder with model.onnx (or onnx/model.onnx), tokenizer.json, config.json, special_tokens_map.json and tokenizer_config.json. Nothing leaves this machine.',
    http: 'A server that speaks the shape of Jina and Cohere. Plain http:// is accepted for this machine only.',
    off: 'The order after decay stands.',
  } as Record<RerankBackend, string>,
  inUse: 'in use',
  take: 'Use it',
  taking: 'Checking',
  taken: (name: string) => `Reranker: ${name}`,
  folder: 'Folder',
  folderPlaceholder: '/path/to/a/cross-encoder',
  browse: 'Browse…',
  browseTitle: 'Folder of a cross-encoder',
  endpoint: 'Address',
  endpointPlaceholder: 'https://host/v1/rerank',
  known: 'Fill in for',
  model: 'Model',
  scale: 'Its numbers',
  scales: { probability: '0 to 1', logit: 'logits' },
  key: 'Key',
  keyNew: 'Stored in the vault, never shown again.',
  keyStored: 'A key is stored in the vault. Leave this empty to keep it.',
  keyMoved: 'The stored key was given for another address and would be forgotten.',
  leaves:
    'Every query, also while you type, and the texts of its best candidates are sent to this address; golden queries too while presets are measured.',
  consent: 'Send queries and memory texts to this address',
  forget: 'Forget service and key',
  forgotten: 'Service and key forgotten',
  fault: (why: string) => `It cannot be used: ${why}`,
  elsewhere: 'Nothing of this is in your own presets: they keep the reranker they were saved with.',
  breaker: {
    closed: 'service reachable',
    half_open: 'pause over: the next query tries again',
    open: (breaker: BreakerStateView) =>
      `paused ${breaker.remaining_seconds} s${breaker.cause ? ` (${CAUSES[breaker.cause]})` : ''}`,
    label: 'Circuit breaker of the reranking service',
  },
  setUp: 'Set up a reranker',
};

const CAUSES: Record<NonNullable<BreakerStateView['cause']>, string> = {
  rate_limited: 'rate limit',
  server: 'it failed',
  timeout: 'no answer in time',
  connection: 'cannot be reached',
};
