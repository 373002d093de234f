/** The rank flow with the sentence that states what it shows, or its twin, the table. */
import { memo, useMemo } from 'react';
import { RankFlow } from '../../charts/rank-flow/RankFlow';
import { RankTable } from '../../charts/rank-flow/RankTable';
import { Button } from '../../components/Button';
import type { QueryView, VerdictView } from '../../ipc/bindings';
import { age, ageAt, title } from '../../locales/en/format';
import { xray } from '../../locales/en/xray';
import { point, useHot } from '../../trace/hover';
import css from './FlowPanel.module.css';
import { finding } from './findings';
import { flowColumns, flowDuplicates, flowExpected } from './flow';
import { Segmented } from './Segmented';
import { useXray, type XrayState, xrayStore } from './store';

const t = xray.flow;

/** The same function for every drawing, so that lines that stay are not drawn again. */
const open = (id: string) => xrayStore().openMemory(id);

export const FlowPanel = memo(function FlowPanel({
  view,
  verdict,
}: {
  view: QueryView;
  verdict: VerdictView | null;
}) {
  const { cards, flow, open: selected } = useXray('cards', 'flow', 'open');
  const hot = useHot();
  const columns = useMemo(() => flowColumns(view.trace), [view.trace]);
  const expected = useMemo(() => flowExpected(view.trace, verdict), [view.trace, verdict]);
  const duplicates = useMemo(() => flowDuplicates(view.trace), [view.trace]);
  const ageOf = (id: string) => {
    const card = cards[id];
    return card ? ageAt(card, view.trace.now) : null;
  };
  const sentence = finding(view.trace, verdict);
  const shared = {
    columns,
    expected,
    results: view.trace.results,
    title: sentence,
    hot,
    onPoint: point,
    onOpen: open,
    nameOf: (id: string) => title(cards[id]?.snippet ?? id),
  };
  return (
    <section className={css.panel} aria-label={sentence}>
      <header className={css.head}>
        <h2>{sentence}</h2>
        <Choices flow={flow} />
      </header>
      {flow === 'flow' ? (
        <RankFlow
          {...shared}
          duplicates={duplicates}
          selected={selected}
          sideOf={(id) => age(ageOf(id))}
        />
      ) : (
        <RankTable {...shared} />
      )}
    </section>
  );
});

/** What can be done with the chart; an answer does not touch it. */
const Choices = memo(function Choices({ flow }: { flow: XrayState['flow'] }) {
  return (
    <>
      <Button variant="quiet" onPress={() => xrayStore().exportTrace()}>
        {xray.history.export.open}
      </Button>
      <Segmented
        label={t.view}
        value={flow}
        choices={[
          ['flow', t.flow],
          ['table', t.table],
        ]}
        onChange={(next) => xrayStore().set({ flow: next })}
      />
    </>
  );
});
