/** The right side: results, why one is missing, one memory in full, what reaches the agent. */
import { memo } from 'react';
import { Tabs } from '../../components/Tabs';
import type { VerdictView } from '../../ipc/types';
import { xray } from '../../locales/en/xray';
import { ContextPanel } from './ContextPanel';
import { BesidePanel, besideCount } from './Lanes';
import { MemoryPanel } from './MemoryPanel';
import { ResultList } from './ResultList';
import { type AsideTab, useXray, xrayStore } from './store';
import { VerdictPanel } from './VerdictPanel';

const t = xray.aside;

export const Aside = memo(function Aside({
  verdict,
  error,
}: {
  verdict: VerdictView | null;
  error: unknown;
}) {
  const { tab, open, view } = useXray('tab', 'open', 'view');
  const results = view?.trace.results.length ?? 0;
  const tabs = [
    { id: 'results', title: `${t.results} ${results}`, content: <ResultList /> },
    { id: 'verdict', title: t.verdict, content: <VerdictPanel verdict={verdict} error={error} /> },
    { id: 'context', title: t.context, content: <ContextPanel /> },
  ];
  const beside = view ? besideCount(view.trace) : null;
  if (beside !== null) {
    tabs.push({ id: 'beside', title: `${xray.lanes.tab} ${beside}`, content: <BesidePanel /> });
  }
  if (open !== null)
    tabs.push({ id: 'memory', title: t.memory, content: <MemoryPanel id={open} /> });
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
