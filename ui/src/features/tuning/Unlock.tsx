/** Instead of panels that have nothing to measure by: what unlocks them, and what to begin with. */
import { useQuery } from '@tanstack/react-query';
import { backend } from '../../ipc/backend';
import type { HistoryEntry } from '../../ipc/bindings';
import { keys } from '../../ipc/keys';
import { xray } from '../../locales/en/xray';
import { navigate } from '../../shell/route';
import css from './TuningSection.module.css';

const t = xray.unlock;

/** How far back past queries are looked through, and how many are offered. */
const LOOKED_AT = 100;
const OFFERED = 5;

/** Past queries that found something, each once however often it was asked. */
export function toJudge(entries: readonly HistoryEntry[]): { query: string; times: number }[] {
  const found = new Map<string, { query: string; times: number }>();
  for (const { query, results } of entries) {
    const key = query.trim().replace(/\s+/g, ' ').toLowerCase();
    if (results === 0 || key === '') continue;
    const held = found.get(key);
    if (held) held.times += 1;
    else found.set(key, { query, times: 1 });
  }
  return [...found.values()].slice(0, OFFERED);
}

export function Unlock() {
  const past = useQuery({
    queryKey: [...keys.history, 'to judge'],
    queryFn: () => backend().history({ limit: LOOKED_AT }),
    retry: false,
  });
  const queries = toJudge(past.data?.entries ?? []);
  return (
    <>
      <p>{t.line}</p>
      {queries.length === 0 ? null : (
        <ul className={css.past} aria-label={t.past}>
          {queries.map(({ query, times }) => (
            <li key={query}>
              <button type="button" onClick={() => navigate('xray', { q: query })}>
                <b>{query}</b> {times > 1 ? t.asked(times) : ''}
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
