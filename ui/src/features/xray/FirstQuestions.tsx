/** Questions to begin with, made from the vault's own conversations. */
import { useSessions } from '../../ipc/hooks';
import { xray } from '../../locales/en/xray';
import { firstQuestions } from '../../words/questions';
import css from './Empty.module.css';

const t = xray.empty;

export function FirstQuestions({ onAsk }: { onAsk: (question: string) => void }) {
  const sessions = useSessions();
  const questions = firstQuestions(sessions.data ?? []);
  if (questions.length === 0) return null;
  return (
    <>
      <h3>{t.first}</h3>
      <ul className={css.guide} aria-label={t.first}>
        {questions.map(({ kind, about }) => {
          const question = t.asks[kind](about);
          return (
            <li key={kind}>
              <button type="button" onClick={() => onAsk(question)}>
                <b>{question}</b>
              </button>
            </li>
          );
        })}
      </ul>
    </>
  );
}
