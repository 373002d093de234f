/**
 * A score step by step, as bars that start where the sum so far ends.
 *
 * Fusion's numbers are about a hundred times smaller than the reranker's, so each part of the
 * account (before and after the reranker) has a scale of its own, and a hairline between them says so.
 */
import { CopyNumber } from '../../components/CopyNumber';
import { exact, score } from '../../locales/en/format';
import { xray } from '../../locales/en/xray';
import type { Step } from '../../trace/arithmetic';
import css from './Waterfall.module.css';

const t = xray.memory;

/** The steps with the scale that each is drawn on. */
export function scaled(
  steps: readonly Step[],
): Array<Step & { left: number; width: number; part: number }> {
  let part = 0;
  const parts = steps.map((step) => {
    if (step.kind === 'reranker') part = 1;
    return part;
  });
  const most = [0, 1].map((index) =>
    Math.max(
      0,
      ...steps.filter((_, i) => parts[i] === index).flatMap((step) => [step.from, step.to]),
    ),
  );
  return steps.map((step, index) => {
    const scale = most[parts[index] ?? 0] || 1;
    const low = Math.max(0, Math.min(step.from, step.to));
    const high = Math.max(step.from, step.to);
    return {
      ...step,
      part: parts[index] ?? 0,
      left: (100 * low) / scale,
      width: (100 * Math.max(0, high - low)) / scale,
    };
  });
}

export function Waterfall({ steps }: { steps: readonly Step[] }) {
  const bars = scaled(steps);
  return (
    <table className={css.table}>
      <caption className="visually-hidden">{t.waterfall}</caption>
      <thead className="visually-hidden">
        <tr>
          <th scope="col">{t.step}</th>
          <th scope="col">{t.running}</th>
          <th scope="col">{t.value}</th>
        </tr>
      </thead>
      <tbody>
        {bars.map((bar, index) => (
          <tr
            key={bar.kind}
            data-op={bar.op}
            data-new={(index > 0 && bar.part !== bars[index - 1]?.part) || undefined}
          >
            <th scope="row">
              {t.steps[bar.kind]}
              {bar.formula ? <small>{bar.formula}</small> : null}
            </th>
            <td>
              <span className={css.track} aria-hidden="true">
                <span
                  className={css.bar}
                  data-kind={bar.kind}
                  data-op={bar.op}
                  style={{ left: `${bar.left}%`, width: `max(2px, ${bar.width}%)` }}
                />
              </span>
              <span className="visually-hidden">{exact(bar.to)}</span>
            </td>
            <td className={css.value}>
              <CopyNumber
                shown={
                  bar.op === 'multiply'
                    ? `× ${bar.value.toFixed(3)}`
                    : `${sign(bar)}${score(bar.value)}`
                }
                exact={exact(bar.value)}
                label={t.steps[bar.kind]}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function sign(step: Step): string {
  if (step.op === 'subtract') return '− ';
  return step.op === 'total' ? '= ' : '+ ';
}
