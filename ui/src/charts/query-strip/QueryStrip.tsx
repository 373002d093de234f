/**
 * One bar per query, from the greatest gain to the greatest loss: whether a mean hides losers.
 * The list behind it holds the same in words.
 */
import css from './QueryStrip.module.css';

export interface QueryStripProps {
  /** The finding. */
  title: string;
  /** Change per query, −1..1. */
  changes: readonly { id: string; text: string; change: number }[];
  upLabel: string;
  downLabel: string;
}

const HEIGHT = 64;

/** A few queries must not look like a few thick walls. */
const BROADEST = 28;

export function QueryStrip({ title, changes, upLabel, downLabel }: QueryStripProps) {
  const most = Math.max(0.1, ...changes.map((one) => Math.abs(one.change)));
  const middle = HEIGHT / 2;
  const step = 100 / Math.max(1, changes.length);
  return (
    <div className={css.strip} style={{ maxWidth: Math.min(860, 60 + BROADEST * changes.length) }}>
      <div className={css.scale} aria-hidden="true">
        <span>+{most.toFixed(2)}</span>
        <span>0</span>
        <span>−{most.toFixed(2)}</span>
      </div>
      <svg
        role="img"
        aria-label={title}
        height={HEIGHT}
        width="100%"
        viewBox={`0 0 100 ${HEIGHT}`}
        preserveAspectRatio="none"
      >
        <line className={css.zero} x1={0} x2={100} y1={middle} y2={middle} />
        {changes.map((one, at) => {
          const height = Math.max(1, (Math.abs(one.change) / most) * (middle - 2));
          return (
            <rect
              key={one.id}
              className={css.bar}
              data-sign={Math.abs(one.change) < 5e-4 ? undefined : one.change > 0 ? 'up' : 'down'}
              x={at * step + step * 0.12}
              width={step * 0.76}
              y={one.change >= 0 ? middle - height : middle}
              height={height}
            >
              <title>{`${one.text}: ${one.change.toFixed(3)}`}</title>
            </rect>
          );
        })}
      </svg>
      <p aria-hidden="true">
        <span>{upLabel}</span>
        <span>{downLabel}</span>
      </p>
    </div>
  );
}
