/** Why a query missed a memory: the gate that lost it, every gate's numbers, the smallest change. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Button } from '../../components/Button';
import { Passage } from '../../components/Passage';
import { Failed } from '../../components/State';
import { backend } from '../../ipc/backend';
import type { Constants, FixView, GateView, QueryView, VerdictView } from '../../ipc/bindings';
import { useMemory } from '../../ipc/hooks';
import { keys } from '../../ipc/keys';
import { score, signed } from '../../locales/en/format';
import { named, xray } from '../../locales/en/xray';
import { PLACES } from '../../shell/book';
import { useNextPress } from '../../shell/focus';
import { HelpMark } from '../../shell/HelpMark';
import { described, interval, settable, shown } from '../../words/constants';
import { ExpectedSearch } from './ExpectedSearch';
import { Meta } from './Meta';
import { Otherwise } from './Otherwise';
import { QueryEdits } from './QueryEdits';
import { useXray, xrayStore } from './store';
import css from './VerdictPanel.module.css';

const t = xray.verdict;
/** While a slider moves, the verdict follows at this distance; the lists follow at once. */
const FOLLOW_MS = 90;

/** The verdict for the answer on screen; while constants move the last one stays. */
export function useVerdict(): {
  verdict: VerdictView | null;
  pending: boolean;
  error: unknown;
  again: () => void;
} {
  const { view, expected, frozen } = useXray('view', 'expected', 'frozen');
  const [shownView, setShownView] = useState(view);
  useEffect(() => {
    if (view?.recall !== shownView?.recall) return setShownView(view);
    const timer = setTimeout(() => setShownView(view), FOLLOW_MS);
    return () => clearTimeout(timer);
  }, [view, shownView]);
  const held = view?.recall === shownView?.recall ? shownView : view;
  const request =
    held && expected !== null && frozen === null
      ? { recall: held.recall, expected, constants: held.trace.constants, now: held.trace.now }
      : null;
  const asked = useQuery({
    // What the reranker has read so far changes the verdict as well.
    queryKey: keys.why(held?.recall ?? '', [request, held?.unscored ?? 0]),
    queryFn: () => backend().why(request as NonNullable<typeof request>),
    enabled: request !== null,
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 30_000,
  });
  // While another question is followed, the verdict on the one before says nothing.
  const fits = asked.data?.expected === expected && asked.data.query === held?.trace.query;
  return {
    verdict: request !== null && fits ? (asked.data ?? null) : null,
    pending: asked.isFetching,
    error: asked.error,
    again: asked.refetch,
  };
}

export function VerdictPanel(props: {
  verdict: VerdictView | null;
  error: unknown;
  onRetry: () => void;
}) {
  const { verdict, error } = props;
  const { expected, view } = useXray('expected', 'view');
  if (expected === null) return <ExpectedSearch />;
  if (error) {
    return (
      <div className={css.note}>
        <Failed error={error} onRetry={props.onRetry} />
      </div>
    );
  }
  if (!view || !verdict) return <p className={css.note}>{t.asking}</p>;
  return (
    <div className={css.panel} data-help={PLACES.gates}>
      <h2 className={css.headline} data-lost={!verdict.in_results || undefined}>
        {verdict.headline} <HelpMark place={PLACES.gates} about={t.gates} />
      </h2>
      <Expected id={expected} recall={view.recall} />
      <Nearest verdict={verdict} view={view} expected={expected} />
      <Gates verdict={verdict} />
      <Fixes verdict={verdict} />
      {verdict.in_results ? null : <QueryEdits view={view} expected={expected} />}
    </div>
  );
}

function Expected({ id, recall }: { id: string; recall: string }) {
  const memory = useMemory(id, recall);
  const store = xrayStore();
  return (
    <div className={css.memory}>
      <button type="button" className={css.text} onClick={() => store.openMemory(id)}>
        {memory.data ? <Passage card={memory.data.card} /> : id}
        {memory.data ? (
          <small>
            <Meta card={memory.data.card} />
          </small>
        ) : null}
      </button>
      <Button variant="quiet" aria-label={t.clear} onPress={() => store.expect(null)}>
        ✕
      </Button>
    </div>
  );
}

/** Whether a gate has something to say about a memory that is missing. */
const speaks = ({ verdict, note }: GateView) =>
  verdict === 'not_reached' ? note !== '' : verdict !== 'ok';

/** Of a memory that is missing, the gates that speak; the others are one press away. */
function Gates({ verdict }: { verdict: VerdictView }) {
  const { gates, in_results: found } = verdict;
  const [all, setAll] = useState(false);
  const quiet = found ? 0 : gates.filter((gate) => !speaks(gate)).length;
  return (
    <>
      <table className={css.gates}>
        <caption className="visually-hidden">{t.gates}</caption>
        <tbody>
          {gates.map((gate) => (
            <tr
              key={gate.name}
              data-verdict={gate.verdict}
              hidden={!(all || found || speaks(gate))}
            >
              <td className={css.mark} title={t.says[gate.verdict]}>
                <span aria-hidden="true">{t.marks[gate.verdict]}</span>
                <span className="visually-hidden">{t.says[gate.verdict]}</span>
              </td>
              <th scope="row">{named(t.names, gate.name)}</th>
              <td className={css.words}>{gate.note}</td>
              <td className={css.margin}>{marginOf(gate)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {quiet > 0 ? (
        <Button variant="quiet" aria-expanded={all} onPress={() => setAll(!all)}>
          {all ? t.fewerGates : t.moreGates(quiet)}
        </Button>
      ) : null}
    </>
  );
}

/** "short by 11" where it was lost, the value against the threshold where it was missed. */
export function marginOf(gate: GateView): string {
  if (
    (gate.verdict === 'lost' || gate.verdict === 'missed') &&
    gate.margin !== null &&
    gate.margin < 0
  ) {
    return t.shortBy(number(-gate.margin));
  }
  return gate.value === null || Number.isInteger(gate.value) ? '' : score(gate.value);
}

const number = (value: number) => (Number.isInteger(value) ? String(value) : score(value));

/** The constants that could do it, the smallest change first, and which of them was tried or is next. */
function useFixes(verdict: VerdictView) {
  const { tried } = useXray('tried');
  const possible = verdict.fixes
    .filter((fix) => fix.intervals.length > 0)
    .sort((a, b) => effort(a) - effort(b));
  const wasTried = (fix: FixView) => fix.constant in tried;
  const next = possible.find((fix) => !works(fix) && !wasTried(fix));
  return {
    next,
    tried: Object.keys(tried) as Array<keyof Constants>,
    others: possible.filter((fix) => fix !== next && !wasTried(fix)),
    impossible: verdict.fixes.filter((fix) => fix.intervals.length === 0),
  };
}

/** What to press, above the reasons: the smallest change, and those that were tried. */
function Nearest(props: { verdict: VerdictView; view: QueryView; expected: string }) {
  const { verdict, view, expected } = props;
  const { next, tried } = useFixes(verdict);
  const { results } = view.trace.constants;
  if (verdict.in_results && tried.length === 0) return null;
  const title = verdict.in_results ? t.tried : next ? t.fixes(results) : t.otherwise(results);
  return (
    <section className={css.nearest} aria-label={title}>
      <h3>{title}</h3>
      <ul>
        {verdict.in_results ? null : next ? (
          <Fix fix={next} isFirst />
        ) : (
          <Otherwise view={view} expected={expected} />
        )}
        {tried.map((name) => (
          <Tried key={name} name={name} />
        ))}
      </ul>
    </section>
  );
}

function Fixes({ verdict }: { verdict: VerdictView }) {
  const { next, others, impossible } = useFixes(verdict);
  // Of a memory that is there, nothing is to be tried above.
  const all = verdict.in_results && next ? [next, ...others] : others;
  if (all.length === 0 && impossible.length === 0) return null;
  const title = verdict.in_results ? t.keeps : t.others;
  return (
    <section className={css.fixes} aria-label={title}>
      <h3>{title}</h3>
      <ul>
        {all.map((fix) => (
          <Fix key={fix.constant} fix={fix} />
        ))}
        {impossible.length > 0 ? (
          <li className={css.impossible}>
            {impossible.map((fix) => named(xray.sliders.names, fix.constant)).join(', ')}{' '}
            <b>{verdict.in_results ? t.noEffect : t.impossible}</b>
          </li>
        ) : null}
      </ul>
    </section>
  );
}

const works = (fix: FixView) =>
  fix.intervals.some(([lo, hi]) => fix.current >= lo && fix.current <= hi);

/** How far the constant has to move, as a share of its value: the smallest change comes first. */
function effort(fix: FixView): number {
  if (fix.nearest === null) return Number.POSITIVE_INFINITY;
  return Math.abs(Math.log((fix.nearest + 0.05) / (fix.current + 0.05)));
}

/** A change that was tried: what it is now, what it was, and the way back. */
function Tried({ name }: { name: keyof Constants }) {
  const { tried, constants } = useXray('tried', 'constants');
  const before = tried[name];
  if (!constants || before === undefined) return null;
  const [label, was] = described(name, before);
  return (
    <li className={css.fix}>
      <span>
        {label} <code>{described(name, constants[name])[1]}</code>
      </span>
      <span className={css.collateral}>{t.was(was)}</span>
      <Button aria-label={t.undoNamed(label)} onPress={() => xrayStore().undoTry(name)}>
        {t.undo}
      </Button>
    </li>
  );
}

function Fix({ fix, isFirst = false }: { fix: FixView; isFirst?: boolean }) {
  const store = xrayStore();
  const name = named(xray.sliders.names, fix.constant);
  const constant = fix.constant as Parameters<typeof store.tryOut>[0];
  const value = settable(fix);
  const button = useNextPress<HTMLButtonElement>(isFirst);
  const judged = fix.gained > 0 || fix.lost > 0 || fix.ndcg_delta !== null;
  const ndcg = fix.ndcg_delta === null ? null : signed(fix.ndcg_delta);
  return (
    <li className={css.fix}>
      <span>
        {name} <code>{fix.intervals.map((band) => interval(fix.constant, band)).join(t.and)}</code>
        {isFirst ? <small> {t.now(shown(fix.constant, fix.current))}</small> : null}
      </span>
      <span className={css.collateral} title={judged ? t.collateralHelp(ndcg) : undefined}>
        {judged ? t.collateral(fix.gained, fix.lost) : ''}
      </span>
      {works(fix) ? (
        <span className={css.already}>{t.already}</span>
      ) : value !== null ? (
        <Button
          ref={button}
          variant={isFirst ? 'primary' : 'plain'}
          aria-label={t.tryNamed(name, shown(fix.constant, value))}
          onPress={() => store.tryOut(constant, value)}
        >
          {t.try}
        </Button>
      ) : null}
    </li>
  );
}
