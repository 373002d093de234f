/** What the X-ray shows without lists: what to try, why nothing came through, what broke. */
import { Button } from '../../components/Button';
import { EmptyState } from '../../components/EmptyState';
import { sentenceOf } from '../../components/failure';
import { EdgeFailure } from '../../ipc/backend';
import type { GuideStep, Trace } from '../../ipc/bindings';
import { useDemoGuide, useMemory, useStatus } from '../../ipc/hooks';
import { xray } from '../../locales/en/xray';
import { stageSentence } from '../../stages/sentences';
import { STAGES, stageOf } from '../../trace/model';
import css from './Empty.module.css';
import { FirstQuestions } from './FirstQuestions';
import { FirstReading } from './FirstReading';
import { useXray, xrayStore } from './store';

/** Before the first query: what this screen does, with queries to try on the demo memory. */
export function Welcome() {
  const status = useStatus().data;
  const guide = useDemoGuide(status?.demo ?? false);
  const { expected, beginning } = useXray('expected', 'beginning');
  const t = xray.empty;
  if (beginning && status && !status.demo) return <FirstReading />;
  return (
    <div className={css.welcome}>
      <h2>{t.title}</h2>
      <p>{t.body}</p>
      {status && status.memories === 0 ? <p>{t.own}</p> : null}
      {expected !== null ? <Expecting id={expected} /> : null}
      {guide.data && guide.data.length > 0 ? (
        <>
          <h3>{t.guide}</h3>
          <ul className={css.guide}>
            {missFirst(guide.data).map((step) => (
              <li key={step.query}>
                <button
                  type="button"
                  onClick={() => {
                    const store = xrayStore();
                    store.expect(step.expected);
                    store.ask({ text: step.query, expected: step.expected });
                  }}
                >
                  <b>{step.query}</b>
                  <span>
                    {step.watch_for}
                    {step.expected !== null ? <em> {t.planted}</em> : null}
                  </span>
                </button>
              </li>
            ))}
          </ul>
        </>
      ) : null}
      {status && !status.demo ? (
        <FirstQuestions onAsk={(text) => xrayStore().ask({ text })} />
      ) : null}
      <p className={css.keys}>{t.keys}</p>
    </div>
  );
}

/** The welcome promises a query that misses: nobody should have to look for it. */
const missFirst = (guide: readonly GuideStep[]) =>
  guide.toSorted((a, b) => Number(a.expected === null) - Number(b.expected === null));

/** A memory was expected before any query was asked, for example from Memories. */
function Expecting({ id }: { id: string }) {
  const memory = useMemory(id);
  return (
    <p className={css.expecting}>
      {xray.empty.expecting} <b>{memory.data?.card.snippet ?? id}</b>
      <small>{xray.empty.expectingHelp}</small>
    </p>
  );
}

/** Nothing came through: every stage says what it did, the first that let nothing through is named. */
export function NoResult({ trace }: { trace: Trace }) {
  const t = xray.noResult;
  const context = { trace, verdict: null, context: null };
  return (
    <div className={css.none}>
      <h2>{t.title}</h2>
      <p>{t.body}</p>
      <dl>
        {STAGES.map((name) => (
          <div key={name} data-status={stageOf(trace, name).status}>
            <dt>{xray.stages.names[name]}</dt>
            <dd>{stageSentence(name, context)}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

/** The query could not be answered at all. */
export function Failure({ error }: { error: unknown }) {
  const t = xray.failure;
  const retryable =
    !(error instanceof EdgeFailure) || error.edge.retryable || error.edge.code === 'internal';
  return (
    <EmptyState
      title={t.title}
      action={
        retryable ? (
          <Button variant="primary" onPress={() => xrayStore().again()}>
            {t.retry}
          </Button>
        ) : null
      }
    >
      {sentenceOf(error)}
    </EmptyState>
  );
}
