/** What stands in place of a list that is on its way, or that did not come: a sentence, and what to press. */
import { text } from '../locales/en';
import { Button } from './Button';
import { sentenceOf } from './failure';
import css from './State.module.css';

export function Waiting({ words = text.common.loading }: { words?: string }) {
  return (
    <p className={css.state} role="status">
      {words}
    </p>
  );
}

export function Failed(props: { error: unknown; onRetry: () => void }) {
  return (
    <div className={css.state} role="alert">
      <p>{sentenceOf(props.error)}</p>
      <Button onPress={props.onRetry}>{text.common.retry}</Button>
    </div>
  );
}
