/** A past query in the shape of an answer. It names no standing query: nothing can be asked of it. */
import type { QueryView, StoredTraceView } from '../../../ipc/bindings';

export function frozenView(stored: StoredTraceView): QueryView {
  return {
    recall: '',
    trace: stored.trace,
    lists: {},
    unscored: 0,
    cards: stored.cards,
    // The block's text was not stored, and texts may have changed since.
    context: { block: '', tokens: 0, research_tokens: 0, budget: 0, naive_tokens: 0, entries: [] },
    beside: '',
    lanes: null,
  };
}
