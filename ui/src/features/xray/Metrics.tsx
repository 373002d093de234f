/** What the golden queries say of the constants under the hand, beside the sliders. */
import { Button as AriaButton } from 'react-aria-components/Button';
import { Tooltip } from '../../components/Tooltip';
import type { MeasureView } from '../../ipc/bindings';
import { useGoldenQueries, useMeasure } from '../../ipc/golden';
import { xray } from '../../locales/en/xray';
import { openBook, PLACES } from '../../shell/book';
import css from './Metrics.module.css';
import { useXray, xrayStore } from './store';

const t = xray.metrics;

const SHOWN = ['success_5', 'mrr_10', 'ndcg_10'] as const;

/** Regressions that have room to be named; the rest is in Tuning. */
const NAMED = 2;

export function Metrics() {
  const { constants, now } = useXray('constants', 'now');
  const golden = useGoldenQueries();
  const measured = useMeasure(constants, now);
  return (
    <section className={css.block} aria-label={t.label}>
      {golden.data?.length === 0 ? (
        <p className={css.note}>{t.empty}</p>
      ) : measured === null ? (
        <p className={css.note}>{golden.data ? t.measuring : ''}</p>
      ) : measured.queries.length === 0 ? (
        <p className={css.note}>{t.noRelevant}</p>
      ) : (
        <Scores measured={measured} />
      )}
    </section>
  );
}

function Scores({ measured }: { measured: MeasureView }) {
  const { baseline, current, queries } = measured;
  const share = `${Math.round(current.judged_10 * 100)} %`;
  return (
    <>
      <dl className={css.scores}>
        {SHOWN.map((name) => (
          <div key={name}>
            <dt>
              <Tooltip
                content={
                  <>
                    {t.help[name]}
                    <br />
                    {t.atMost(current.upper[name].toFixed(2))}
                  </>
                }
              >
                <AriaButton
                  className={css.name}
                  data-help={PLACES[name]}
                  onPress={() => openBook(PLACES[name])}
                >
                  {t[name]}
                </AriaButton>
              </Tooltip>
            </dt>
            <dd>
              {current.lower[name].toFixed(2)}
              <Delta value={current.lower[name] - baseline.lower[name]} />
            </dd>
          </div>
        ))}
      </dl>
      <p className={css.note} title={`${t.judged(share)}; ${t.against(measured.baseline_name)}`}>
        {t.sum(queries.length, measured.worse)}
        {measured.unread > 0 ? ` · ${t.unread(measured.unread)}` : ''}
      </p>
      {measured.worse > 0 ? <Regressions measured={measured} /> : null}
    </>
  );
}

/** "+.02", as long as it does not round to nothing. */
function Delta({ value }: { value: number }) {
  const text = Math.abs(value).toFixed(2).replace(/^0/, '');
  if (text === '.00') return <span className={css.delta} />;
  return (
    <span className={css.delta} data-sign={value > 0 ? 'up' : 'down'}>
      {value > 0 ? '+' : '−'}
      {text}
    </span>
  );
}

function Regressions({ measured }: { measured: MeasureView }) {
  const change = (one: MeasureView['queries'][number]) =>
    one.current.lower.ndcg_10 - one.baseline.lower.ndcg_10;
  const worse = measured.queries
    .filter((one) => change(one) < -1e-9)
    .sort((a, b) => change(a) - change(b));
  return (
    <ul className={css.worse} aria-label={t.regressions}>
      {worse.slice(0, NAMED).map((one) => (
        <li key={one.id}>
          <button
            type="button"
            title={one.text}
            aria-label={t.ask(one.text)}
            onClick={() => xrayStore().ask({ text: one.text })}
          >
            {one.text}
          </button>
        </li>
      ))}
    </ul>
  );
}
