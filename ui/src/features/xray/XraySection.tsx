/** The X-ray: one query through eight stages, and why a memory did not come up. */
import { memo, useCallback, useEffect, useMemo, useState } from 'react';
import { useOneStop } from '../../components/oneStop';
import type { PresetView, VerdictView } from '../../ipc/bindings';
import { useSettings } from '../../ipc/hooks';
import { title } from '../../locales/en/format';
import { xray } from '../../locales/en/xray';
import { setPreferences } from '../../shell/preferences';
import { settleRoute, useRoute } from '../../shell/route';
import type { StageContext } from '../../stages/context';
import { lostStage } from '../../stages/lost';
import { StageCard } from '../../stages/StageCard';
import { StageDetail } from '../../stages/StageDetail';
import { STAGES } from '../../trace/model';
import { Aside } from './Aside';
import { DebugColumns } from './DebugColumns';
import { Failure, NoResult, Welcome } from './Empty';
import { Expectation, PartNote } from './Expectation';
import { FlowPanel } from './FlowPanel';
import { CompareTraces } from './history/CompareTraces';
import type { Side } from './history/difference';
import { ExportTrace } from './history/ExportTrace';
import { HistoryDialog } from './history/HistoryDialog';
import { ConstantsThen, StoredBanner } from './history/StoredBanner';
import { LaneCards } from './Lanes';
import { presetInForce } from './presets';
import { QueryBar } from './QueryBar';
import { SessionDialog } from './SessionDialog';
import { useShortcuts } from './shortcuts';
import { SliderBar } from './sliders/SliderBar';
import { useXray, type XrayState, xrayStore } from './store';
import { useForecast } from './time/forecast';
import { useVerdict } from './VerdictPanel';
import css from './XraySection.module.css';

const NO_PRESETS: readonly PresetView[] = [];

export function XraySection() {
  const { density, frozen } = useXray('density', 'frozen');
  const settings = useSettings();
  const [sides, setSides] = useState<{ a: Side; b: Side } | null>(null);
  const compare = useCallback((a: Side, b: Side) => setSides({ a, b }), []);
  const uncompare = useCallback(() => setSides(null), []);
  useShortcuts();
  useAskedByRoute();
  useEffect(() => {
    const preset = settings.data && presetInForce(settings.data);
    if (preset && xrayStore().get().preset === null) xrayStore().adopt(preset);
  }, [settings.data]);

  return (
    <div className={css.screen} data-density={density}>
      <h1 className="visually-hidden">{xray.title}</h1>
      <QueryBar presets={settings.data?.presets ?? NO_PRESETS} />
      {frozen ? <StoredBanner stored={frozen} onCompare={compare} /> : null}
      <Answer />
      <Overlays sides={sides} onCompare={compare} onUncompare={uncompare} />
    </div>
  );
}

/** What an answer changes: the stages, what fills the middle and the side, and the sliders below. */
const Answer = memo(function Answer() {
  const state = useXray('view', 'error', 'phase', 'density', 'tab', 'frozen');
  const { verdict, error, again } = useVerdict();
  const forecast = useForecast();
  const { view, frozen } = state;
  const context = useMemo(
    () => (view ? { trace: view.trace, verdict, context: frozen ? null : view.context } : null),
    [view, verdict, frozen],
  );
  return (
    <>
      <PartNote />
      <Expectation verdict={verdict} />
      <Strip context={context} verdict={verdict} />
      {view && context ? (
        <div className={css.body} data-aside={showsAside(state) || undefined}>
          {showsAside(state) ? (
            <section className={css.aside} data-aside-panel aria-label={xray.aside.label}>
              <Aside verdict={verdict} error={error} onRetry={again} forecast={forecast} />
            </section>
          ) : null}
          <div className={css.main}>
            <Main context={context} verdict={verdict} />
          </div>
        </div>
      ) : (
        <div className={css.empty}>
          {state.error && state.phase === 'settled' ? (
            <Failure error={state.error} />
          ) : state.phase === 'idle' ? (
            <Welcome />
          ) : null}
        </div>
      )}
      {frozen ? (
        <ConstantsThen stored={frozen} />
      ) : (
        <SliderBar verdict={verdict} forecast={forecast} />
      )}
    </>
  );
});

/** What opens above the screen; an answer does not touch it. */
const Overlays = memo(function Overlays(props: {
  sides: { a: Side; b: Side } | null;
  onCompare: (a: Side, b: Side) => void;
  onUncompare: () => void;
}) {
  const { history, exporting, session } = useXray('history', 'exporting', 'session');
  const store = xrayStore();
  return (
    <>
      <HistoryDialog
        isOpen={history}
        onClose={() => store.set({ history: false })}
        onCompare={props.onCompare}
      />
      <CompareTraces sides={props.sides} onClose={props.onUncompare} />
      <SessionDialog id={session} />
      <ExportTrace trace={exporting} onClose={() => store.set({ exporting: null })} />
    </>
  );
});

/** Debug gives the lists the whole width until something is opened. */
function showsAside(state: Pick<XrayState, 'density' | 'tab'>): boolean {
  return state.density === 'overview' || state.tab !== 'results';
}

/** What fills the middle: a stage's list, the eight columns, or the rank flow. */
function Main({ context, verdict }: { context: StageContext; verdict: VerdictView | null }) {
  const { view, cards, stage, density, expected, open } = useXray(
    'view',
    'cards',
    'stage',
    'density',
    'expected',
    'open',
  );
  const store = xrayStore();
  if (!view) return null;
  if (stage !== null) {
    return (
      <div className={css.card}>
        <StageDetail
          stage={stage}
          context={context}
          expected={expected}
          open={open}
          nameOf={(id) => title(cards[id]?.snippet ?? id)}
          onOpen={(id) => store.openMemory(id)}
          onClose={() => store.set({ stage: null })}
        />
      </div>
    );
  }
  if (density === 'debug') return <DebugColumns trace={view.trace} />;
  return (
    <div className={css.card}>
      {view.trace.results.length === 0 && verdict === null ? (
        <NoResult trace={view.trace} />
      ) : (
        <FlowPanel view={view} verdict={verdict} />
      )}
    </div>
  );
}

/** The eight cards. */
function Strip({
  context,
  verdict,
}: {
  context: StageContext | null;
  verdict: VerdictView | null;
}) {
  const { stage } = useXray('stage');
  const store = xrayStore();
  const lost = lostStage(verdict);
  const stops = useOneStop(STAGES);
  return (
    <div className={css.strip}>
      <section className={css.stages} aria-label={xray.stages.strip} onKeyDown={stops.onKeyDown}>
        {STAGES.map((name) => (
          <StageCard
            key={name}
            stage={name}
            context={context}
            isOpen={stage === name}
            isLost={lost === name}
            onPress={() => store.set({ stage: stage === name ? null : name })}
            stop={stops.of(name)}
          />
        ))}
      </section>
      <LaneCards />
    </div>
  );
}

/** The palette and the other sections send queries and expected memories through the address. */
function useAskedByRoute() {
  const { section, params } = useRoute();
  const { q, expect, id, show } = params;
  useEffect(() => {
    if (section !== 'xray') return;
    const store = xrayStore();
    if (expect !== undefined) store.expect(expect);
    if (q !== undefined && q !== store.get().asked?.text) {
      store.ask(expect === undefined ? { text: q } : { text: q, expected: expect });
    }
    if (id !== undefined) store.openMemory(id);
    if (show === 'beginning') store.set({ beginning: true });
    if (show === 'history') store.set({ history: true });
    else if (show === 'constants') setPreferences({ allConstants: true });
    // The same wish may come again.
    if (show !== undefined) settleRoute();
  }, [section, q, expect, id, show]);
}
