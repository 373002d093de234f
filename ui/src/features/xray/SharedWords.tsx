/** Why the sparse leg gave a memory its score, word by word, reconciled with the score of the stage. */
import { CopyNumber } from '../../components/CopyNumber';
import type { SharedWord } from '../../ipc/bindings';
import { exact, score } from '../../locales/en/format';
import { xray } from '../../locales/en/xray';
import { TOLERANCE } from '../../trace/arithmetic';
import { Agreement, SumRow } from './LedgerSum';
import css from './MemoryPanel.module.css';

const t = xray.memory;

/** Whether the words' products are right and their sum is the score; null without one to compare with. */
function addsUp(words: readonly SharedWord[], sum: number, engine: number | null): boolean | null {
  if (engine === null) return null;
  const isRight = words.every(
    (word) => Math.abs(word.query_weight * word.memory_weight - word.product) < TOLERANCE,
  );
  return isRight && Math.abs(sum - engine) < TOLERANCE;
}

export function SharedWords(props: {
  words: readonly SharedWord[];
  /** The score of the sparse stage, when its list holds the memory. */
  engine: number | null;
}) {
  const { words, engine } = props;
  const sum = words.reduce((total, word) => total + word.product, 0);
  const agrees = addsUp(words, sum, engine);
  return (
    <section className={css.section}>
      <h3>{t.shared}</h3>
      {words.length === 0 ? (
        <p className={css.hint}>{t.sharedNone}</p>
      ) : (
        <>
          <table className={css.table}>
            <caption className="visually-hidden">{t.shared}</caption>
            <thead>
              <tr>
                <th scope="col">{t.word}</th>
                <th scope="col" title={t.fromHelp}>
                  {t.from}
                </th>
                <th scope="col" title={t.inQueryHelp}>
                  {t.inQuery}
                </th>
                <th scope="col" title={t.inMemoryHelp}>
                  {t.inMemory}
                </th>
                <th scope="col">{t.product}</th>
              </tr>
            </thead>
            <tbody>
              {words.map((word) => (
                <tr key={word.word}>
                  <th scope="row">
                    <code>{word.word}</code>
                  </th>
                  <td className={css.nothing}>{word.typed ? t.typed : t.added}</td>
                  <td title={exact(word.query_weight)}>{score(word.query_weight)}</td>
                  <td title={exact(word.memory_weight)}>{score(word.memory_weight)}</td>
                  <td>
                    <CopyNumber
                      shown={score(word.product)}
                      exact={exact(word.product)}
                      label={word.word}
                    />
                  </td>
                </tr>
              ))}
            </tbody>
            <SumRow before={4} sum={sum} />
          </table>
          <Agreement
            agrees={agrees}
            yes={t.sharedSum}
            no={t.sharedSumNot}
            nothing={t.sharedNoScore}
          />
        </>
      )}
    </section>
  );
}
