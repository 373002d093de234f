/** The right side: results, why one is missing, one memory in full, what reaches the agent. */
import { memo, useEffect, useRef } from 'react';
import { Tabs, type TabView } from '../../components/Tabs';
import type { ForecastView, VerdictView } from '../../ipc/bindings';
import { xray } from '../../locales/en/xray';
import { holdFocus, isFocusLost } from '../../shell/focus';
import { ContextPanel } from './ContextPanel';
import { BesidePanel, besideCount } from './Lanes';
import { MemoryPanel } from './MemoryPanel';
import { ResultList } from './ResultList';
import { type AsideTab, useXray, useXrayValue, xrayStore } from './store';
import { VerdictPanel } from './VerdictPanel';

const t = xray.aside;

export const Aside = memo(function Aside({
  verdict,
  error,
  onRetry,
  forecast,
}: {
  verdict: VerdictView | null;
  error: unknown;
  onRetry: () => void;
  forecast: ForecastView | null;
}) {
  const { tab, open, frozen } = useXray('tab', 'open', 'frozen');
  // Every answer brings a new view; the tabs change with these two numbers only.
  const results = useXrayValue(({ view }) => view?.trace.results.length ?? 0);
  const besides = useXrayValue(({ view }) => (view ? besideCount(view.trace) : null));
  const tabs: TabView[] = [
    {
      id: 'results',
      title: t.results,
      count: results,
      content: <ResultList forecast={forecast} />,
    },
  ];
  // Of a past query neither the texts nor the lists below the cut were kept.
  if (frozen === null)
    tabs.push(
      {
        id: 'verdict',
        title: t.verdict,
        content: <VerdictPanel verdict={verdict} error={error} onRetry={onRetry} />,
      },
      { id: 'context', title: t.context, content: <ContextPanel /> },
    );
  const beside = frozen === null ? besides : null;
  if (beside !== null) {
    tabs.push({
      id: 'beside',
      title: xray.lanes.tab,
      count: beside,
      hint: xray.lanes.hint,
      content: <BesidePanel />,
    });
  }
  if (open !== null)
    tabs.push({
      id: 'memory',
      title: t.memory,
      content: <MemoryPanel id={open} forecast={forecast} />,
    });
  const shown = `${tab} ${open}`;
  const before = useRef(shown);
  // What was opened by keyboard has the focus, unless something in it asked for it.
  useEffect(() => {
    if (before.current === shown) return;
    before.current = shown;
    const panel = document.querySelector<HTMLElement>('[data-aside-panel]');
    if (panel && isFocusLost()) holdFocus(panel);
  }, [shown]);
  return (
    <Tabs
      label={t.label}
      tabs={tabs}
      selected={
        (tab === 'memory' && open === null) || (tab === 'beside' && beside === null)
          ? 'results'
          : tab
      }
      onSelect={(id) => xrayStore().set({ tab: id as AsideTab })}
    />
  );
});
