/**
 * The way from a new vault to its first X-ray: the logs that were chosen are being read, and the
 * first question is asked as soon as they are, unless somebody asked one before.
 */
import { useEffect } from 'react';
import { Button } from '../../components/Button';
import { Progress } from '../../components/Progress';
import { useSessions, useSources, useStatus } from '../../ipc/hooks';
import { xray } from '../../locales/en/xray';
import { useBackfills } from '../../shell/backfills';
import { navigate } from '../../shell/route';
import { firstQuestions } from '../../words/questions';
import css from './Empty.module.css';
import { FirstQuestions } from './FirstQuestions';
import { xrayStore } from './store';

const t = xray.empty;

/** States of a source in which there is nothing left to read. */
const READ = new Set(['watching', 'polling', 'missing']);

export function FirstReading() {
  const sources = useSources();
  const backfills = useBackfills();
  const status = useStatus().data;
  const held = sources.data ?? [];
  const isRead = held.length > 0 && held.every((one) => READ.has(one.state));
  const memories = status?.memories ?? 0;
  const sessions = useSessions();
  const { refetch } = sessions;
  useEffect(() => {
    // What conversations there are is only known once they were read.
    if (isRead && memories > 0) void refetch();
  }, [isRead, memories, refetch]);
  const [question] = firstQuestions(sessions.data ?? []);
  const first = question && t.asks[question.kind](question.about);
  useEffect(() => {
    if (!isRead || first === undefined) return;
    const store = xrayStore();
    if (store.get().asked === null && store.get().text === '') store.ask({ text: first });
  }, [isRead, first]);
  return (
    <div className={css.welcome}>
      <h2>{isRead ? t.read(memories) : t.reading}</h2>
      <p>{isRead && memories === 0 ? t.readNothing : t.readingBody}</p>
      <div className={css.sources}>
        {held
          .filter((one) => !READ.has(one.state))
          .map((one) => {
            const backfill = backfills.get(one.id);
            return (
              <Progress
                key={one.id}
                label={one.path}
                value={backfill?.done ?? 0}
                total={backfill?.total ?? null}
                note={backfill ? t.readSoFar(backfill.done, backfill.total, backfill.stored) : ''}
              />
            );
          })}
      </div>
      {isRead && memories === 0 ? (
        <Button onPress={() => navigate('sources')}>{t.toSources}</Button>
      ) : null}
      {memories > 0 ? <FirstQuestions onAsk={(text) => xrayStore().ask({ text })} /> : null}
    </div>
  );
}
