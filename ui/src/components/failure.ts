import { EdgeFailure } from '../ipc/backend';
import { errorSentence } from '../locales/en/errors';
import { toast } from './Toast';

/** The sentence for anything that a promise rejected with. */
export function sentenceOf(error: unknown): string {
  return errorSentence(
    error instanceof EdgeFailure
      ? error.edge
      : { code: 'internal', args: {}, retryable: false, trace_id: '' },
  );
}

/** Tells the person that an action failed. */
export function failed(error: unknown): void {
  toast(sentenceOf(error), { tone: 'bad' });
}
