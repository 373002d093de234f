/** One memory of this query: its text, where it came from, and how its score came about. */

import { useLayoutEffect, useRef } from 'react';
import { Waterfall } from '../../charts/waterfall/Waterfall';
import { Button } from '../../components/Button';
import { CopyNumber } from '../../components/CopyNumber';
import { PassageText } from '../../components/Passage';
import { Failed } from '../../components/State';
import type { ForecastView, MemoryView, Trace } from '../../ipc/bindings';
import { useMemory, useSettings } from '../../ipc/hooks';
import { xray } from '../../locales/en/xray';
import { navigate } from '../../shell/route';
import { waterfall } from '../../trace/arithmetic';
import { isProgram } from '../../words/passage';
import { Around } from './Around';
import { openSource } from './editor';
import { GradeChoice } from './Grade';
import { UseSection } from './history/UseMark';
import { Ledger } from './Ledger';
import { MemoryActions } from './MemoryActions';
import css from './MemoryPanel.module.css';
import { Meta } from './Meta';
import { Neighbours } from './Neighbours';
import { useXray, xrayStore } from './store';
import { sentences } from './time/forecast';

const t = xray.memory;

export function MemoryPanel({ id, forecast }: { id: string; forecast: ForecastView | null }) {
  const { view, frozen } = useXray('view', 'frozen');
  const live = frozen === null ? view : null;
  const memory = useMemory(id, live?.recall ?? null);
  const place = view ? view.trace.results.indexOf(id) : -1;
  return (
    <article className={css.panel} aria-label={xray.aside.memory}>
      <header className={css.head}>
        <Step to={view?.trace.results[place - 1]} label={t.previous} glyph="↑" shown={place >= 0} />
        <Step to={view?.trace.results[place + 1]} label={t.next} glyph="↓" shown={place >= 0} />
        <h2>{place >= 0 ? t.result(place + 1) : t.outside}</h2>
        <CopyNumber shown={id} />
        <Button variant="quiet" aria-label={t.close} onPress={() => xrayStore().closeMemory()}>
          ✕
        </Button>
      </header>
      {memory.error ? (
        <div className={css.note}>
          <Failed error={memory.error} onRetry={() => void memory.refetch()} />
        </div>
      ) : null}
      {memory.data ? (
        <Text memory={memory.data} clock={view?.trace.now} />
      ) : memory.isPending ? (
        <p className={css.note}>{t.loading}</p>
      ) : null}
      {frozen ? <UseSection stored={frozen} id={id} className={css.section} /> : null}
      {live ? <GradeChoice recall={live.recall} id={id} /> : null}
      {live && forecast ? <Future forecast={forecast} id={id} /> : null}
      {view ? <Account trace={view.trace} id={id} /> : null}
      {live ? <Ledger recall={live.recall} trace={live.trace} id={id} /> : null}
      {view && place >= 0 ? <Neighbours trace={view.trace} id={id} /> : null}
    </article>
  );
}

function Step({
  to,
  label,
  glyph,
  shown,
}: {
  to: string | undefined;
  label: string;
  glyph: string;
  shown: boolean;
}) {
  if (!shown) return null;
  return (
    <Button
      variant="quiet"
      aria-label={label}
      isDisabled={to === undefined}
      onPress={() => to !== undefined && xrayStore().openMemory(to)}
    >
      {glyph}
    </Button>
  );
}

function Text({ memory, clock }: { memory: MemoryView; clock: string | undefined }) {
  const box = useRef<HTMLElement>(null);
  const { id } = memory.card;
  // What matched is read first, wherever in the text it stands.
  useLayoutEffect(() => {
    const text = box.current;
    const mark = id === '' ? null : text?.querySelector('mark');
    if (!text || !mark) return;
    const below = mark.getBoundingClientRect().top - text.getBoundingClientRect().top;
    text.scrollTop += below - text.clientHeight / 3;
  }, [id]);
  return (
    <>
      <section
        className={css.text}
        ref={box}
        aria-label={t.text}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text is scrolled by keyboard, too.
        tabIndex={0}
      >
        <PassageText
          text={memory.content}
          marks={memory.highlights}
          code={isProgram(memory.card.kind)}
        />
      </section>
      {memory.tool_payload ? (
        <pre className={css.payload}>
          <PassageText text={memory.tool_payload} code />
        </pre>
      ) : null}
      <p className={css.meta}>
        <Meta card={{ ...memory.card, source: null }} clock={clock} />
      </p>
      <p className={css.origin}>
        {memory.path ? (
          <CopyNumber
            label={t.origin}
            shown={memory.line === null ? memory.path : t.line(memory.path, memory.line)}
            exact={memory.line === null ? memory.path : `${memory.path}:${memory.line}`}
          />
        ) : (
          t.noOrigin
        )}
        {memory.path ? <OpenSource id={id} /> : null}
      </p>
      <MemoryActions memory={memory} />
      <Around memory={memory} />
    </>
  );
}

/** Starts the person's editor on the log, or leads to where one is chosen. */
function OpenSource({ id }: { id: string }) {
  const settings = useSettings();
  if (!settings.data) return null;
  return settings.data.editor === '' ? (
    <Button variant="quiet" onPress={() => navigate('settings')}>
      {t.chooseEditor}
    </Button>
  ) : (
    <Button variant="quiet" onPress={() => openSource(id)}>
      {t.openSource}
    </Button>
  );
}

/** What time alone will do to it. */
function Future({ forecast, id }: { forecast: ForecastView; id: string }) {
  const said = sentences(forecast, forecast.memories[id]);
  return (
    <section className={css.section}>
      <h3>{xray.time.only}</h3>
      {said.map((sentence) => (
        <p key={sentence} className={css.future}>
          {sentence}
        </p>
      ))}
      {forecast.exact ? null : <p className={css.future}>{xray.time.stepped}</p>}
      {forecast.unread ? <p className={css.future}>{xray.time.unread}</p> : null}
    </section>
  );
}

/** The waterfall and its self-check. */
function Account({ trace, id }: { trace: Trace; id: string }) {
  const result = waterfall(trace, id);
  if (result.steps.length === 0) return <p className={css.note}>{t.notRanked}</p>;
  const wrong = result.checks.find((check) => !check.ok);
  return (
    <section className={css.section}>
      <h3>{t.score}</h3>
      <Waterfall steps={result.steps} />
      <p className={css.check} data-ok={result.reproduces || undefined}>
        <span aria-hidden="true">{result.reproduces ? '✓' : '✕'}</span>{' '}
        {wrong
          ? t.differs(wrong.stage, wrong.delta.toExponential(1))
          : t.reproduces(delta(result.delta))}
      </p>
    </section>
  );
}

const delta = (value: number) => (value === 0 ? '0' : value.toExponential(0));
