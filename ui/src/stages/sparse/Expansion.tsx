/**
 * The words that the query is looked up by: those that were typed, and those that the model adds.
 *
 * q(t) = weight(t) · rarity(t), and the score of a memory d is Σ q(t) · d(t) over the words that
 * both have; the memory's panel shows that sum word by word.
 */
import { useState } from 'react';
import { Button } from '../../components/Button';
import type { ExpandedWord } from '../../ipc/bindings';
import { exact, score } from '../../locales/en/format';
import { xray } from '../../locales/en/xray';
import css from './Expansion.module.css';
import { counts, heaviest } from './sentence';

const t = xray.sparse;
/** What is lighter than so many others hardly moves a score. */
const SHOWN = 24;

export function Expansion({ words }: { words: readonly ExpandedWord[] }) {
  const [all, setAll] = useState(false);
  if (words.length === 0) return null;
  const more = words.length - SHOWN;
  return (
    <div className={css.expansion}>
      <ul aria-label={t.words}>
        {heaviest(words)
          .slice(0, all ? words.length : SHOWN)
          .map((word) => (
            <li
              key={word.word}
              data-added={!word.typed || undefined}
              title={t.product(exact(word.weight), exact(word.rarity), exact(counts(word)))}
            >
              <code>{word.word}</code>
              <span>{score(counts(word))}</span>
              {word.typed ? null : <em>{t.addedMark}</em>}
            </li>
          ))}
      </ul>
      {more > 0 ? (
        <Button variant="quiet" aria-expanded={all} onPress={() => setAll(!all)}>
          {all ? t.fewer : t.more(more)}
        </Button>
      ) : null}
      <p>{t.arithmetic}</p>
    </div>
  );
}
