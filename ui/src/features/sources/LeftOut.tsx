/** What of a log became no memory, and why in a sentence each. */
import { text } from '../../locales/en';
import { reasons } from '../../locales/en/reasons';
import css from './LeftOut.module.css';

export function LeftOut({ skipped }: { skipped: Record<string, number> }) {
  const entries = Object.entries(skipped).sort((a, b) => b[1] - a[1]);
  if (entries.length === 0) return null;
  return (
    <dl className={css.reasons} aria-label={text.sources.skipped}>
      {entries.map(([reason, count]) => (
        <div key={reason}>
          <dt>
            {reason} <i>{text.common.number(count)}</i>
          </dt>
          {reason in reasons ? <dd>{reasons[reason]}</dd> : null}
        </div>
      ))}
    </dl>
  );
}
