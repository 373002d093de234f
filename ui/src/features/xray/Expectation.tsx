/** What was expected of this question, and in one line what became of it. */
import { Button } from '../../components/Button';
import type { VerdictView } from '../../ipc/bindings';
import { useMemory, useStatus } from '../../ipc/hooks';
import { count, duration } from '../../locales/en/format';
import { xray } from '../../locales/en/xray';
import { useEmbedding } from '../../shell/embedding';
import { lostWords } from '../../stages/lost';
import { titleOf } from '../../words/where';
import css from './Expectation.module.css';
import { useXray, xrayStore } from './store';

const t = xray.expectation;

/** While vectors are missing, an answer by meaning is an answer of a part. */
export function PartNote() {
  const embedding = useEmbedding(useStatus().data);
  const { frozen, view } = useXray('frozen', 'view');
  if (embedding === null || frozen !== null || view === null) return null;
  return (
    <p className={css.part} role="status">
      {xray.part(
        count(embedding.done),
        count(embedding.total),
        embedding.left === null ? null : duration(embedding.left * 1000),
      )}
    </p>
  );
}

export function Expectation({ verdict }: { verdict: VerdictView | null }) {
  const { expected, frozen, view } = useXray('expected', 'frozen', 'view');
  const recall = frozen === null ? (view?.recall ?? null) : null;
  const memory = useMemory(expected, recall);
  if (expected === null || frozen !== null || view === null) return null;
  const store = xrayStore();
  const words = titleOf(memory.data?.card.snippet ?? expected, 90);
  const place = view.trace.results.indexOf(expected);
  const lost = verdict && lostWords(view.trace, verdict);
  return (
    <section className={css.line} aria-label={t.label}>
      <span className={css.chip} data-lost={lost ? '' : undefined}>
        {t.expected} <em title={words}>{words}</em>
        <Button variant="quiet" aria-label={t.forget(words)} onPress={() => store.expect(null)}>
          ×
        </Button>
      </span>
      <p role="status">
        {place >= 0 ? t.there(place + 1, view.trace.results.length) : lost ? t.lost(lost) : ''}
      </p>
      <Button variant="quiet" onPress={() => store.set({ tab: 'verdict' })}>
        {t.why}
      </Button>
    </section>
  );
}
