/** How the reranking service stands: whether it is paused, why, and for how much longer. */
import { useRerankers } from '../../ipc/rerankers';
import { text } from '../../locales/en';
import css from './Breaker.module.css';

const words = text.reranker.breaker;

export function Breaker() {
  const breaker = useRerankers(true).data?.service?.breaker;
  if (!breaker) return null;
  return (
    <span className={css.breaker} data-state={breaker.state} title={words.label}>
      {breaker.state === 'open' ? words.open(breaker) : words[breaker.state]}
    </span>
  );
}
