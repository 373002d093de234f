/** The invented keychain: whether it opens the vault, and how it answers. */
import type { EdgeFailure } from '../backend';
import type { ErrorCode, KeychainState, KeychainView, RemovedView } from '../bindings';

/** An error per answer that is none. */
const REFUSALS: Partial<Record<KeychainState, ErrorCode>> = {
  absent: 'keychain_absent',
  locked: 'keychain_locked',
  no_entry: 'keychain_no_entry',
  refused: 'keychain_refused',
};

/** A keychain that has an entry of the vault when it starts, or none. */
export function keychain(
  start: KeychainView,
  failure: (code: ErrorCode, args?: Record<string, string>) => EdgeFailure,
) {
  let view = start;
  const answer = () => {
    const refusal = REFUSALS[view.state];
    if (refusal !== undefined) throw failure(refusal, { reason: 'it did not answer in time' });
  };
  return {
    view: (): KeychainView => view,
    open(): void {
      if (!view.slot) throw failure('not_found', { what: 'key slot of a keychain' });
      answer();
    },
    use(): KeychainView {
      if (view.state !== 'no_entry') answer();
      view = { slot: true, state: 'ready' };
      return view;
    },
    forget(): RemovedView {
      const reached = view.state === 'ready';
      view = { ...view, slot: false };
      return { entry_left: !reached };
    },
  };
}
