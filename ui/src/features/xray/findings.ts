/** The title of the rank flow: what this chart shows, in one sentence. */
import type { GateView, Trace, VerdictView } from '../../ipc/bindings';
import { listed } from '../../locales/en/format';
import { xray } from '../../locales/en/xray';
import { gateOf } from '../../stages/context';
import { lostWords, placeAtGate } from '../../stages/lost';
import {
  isBelowWindow,
  isLeg,
  itemOf,
  LEGS,
  type Leg,
  PART_OF,
  ranIn,
  stageOf,
  termOf,
} from '../../trace/model';

const t = xray.finding;
/** From this many places on, a move is worth a title. */
const NOTABLE = 3;

/** Which of the legs found it, in words. */
function legsFinding(trace: Trace, verdict: VerdictView): string {
  const found = LEGS.filter((leg) => gateOf(verdict, leg)?.verdict === 'ok');
  const [first, second, third] = found;
  if (first === undefined) return ranIn(trace, 'sparse') ? t.legs.noneOfThree : t.legs.none;
  if (second === undefined) return t.legs.only[first];
  const { legs } = xray.flow;
  return third === undefined ? t.legs.two(legs[first], legs[second]) : t.legs.all;
}

/** Legs that know its rank although it lies beyond their cutoff. */
function missedBy(
  verdict: VerdictView,
  among: readonly Leg[],
): Array<{ leg: Leg; gate: GateView }> {
  return among.flatMap((leg) => {
    const gate = gateOf(verdict, leg);
    return gate?.verdict === 'missed' && gate.value !== null ? [{ leg, gate }] : [];
  });
}

/** How the expected memory fared: which leg found it, how far it came, what stopped it. */
function expectedFinding(trace: Trace, verdict: VerdictView): string {
  const early = verdict.lost_at !== null ? t.lost[verdict.lost_at] : undefined;
  const place = trace.results.indexOf(verdict.expected);
  const legs = legsFinding(trace, verdict);
  if (verdict.in_results && place >= 0) return `${t.found(place + 1)}: ${lower(legs)}`;
  if (early) return early;
  const leg = verdict.lost_at !== null && isLeg(verdict.lost_at) ? verdict.lost_at : null;
  const lost = leg && placeAtGate(trace, verdict, leg);
  if (leg && lost) {
    const others = missedBy(
      verdict,
      LEGS.filter((other) => other !== leg),
    ).map((beside) => t.beyond[beside.leg](beside.gate.value ?? 0));
    const said = t.lostAt(leg, t.leg[leg], lost);
    return others.length === 0 ? said : `${said}; ${listed(others)}`;
  }
  const rankAt = (name: 'fusion' | 'decay' | 'rerank') =>
    itemOf(trace, name, verdict.expected)?.rank ?? gateOf(verdict, name)?.value ?? null;
  const { rerank_window: window, results } = trace.constants;
  switch (verdict.lost_at) {
    case 'fusion':
    case 'decay':
    case 'rerank': {
      const decayed = rankAt('decay');
      const fused = rankAt('fusion');
      const read = itemOf(trace, 'rerank', verdict.expected);
      if (read && !isBelowWindow(read))
        return `${legs}: ${t.at.rerank(read.rank)}, and ${t.returns(results)}`;
      const where =
        decayed !== null ? t.at.decay(decayed) : fused !== null ? t.at.fusion(fused) : null;
      return where ? `${legs}: ${where}, and ${t.reads(window)}` : (beyondFinding(verdict) ?? legs);
    }
    case 'select': {
      const rank = rankAt('rerank');
      return rank === null
        ? `${legs}, and ${t.returns(results)}`
        : `${legs}: ${t.at.rerank(rank)}, and ${t.returns(results)}`;
    }
    default:
      return beyondFinding(verdict) ?? legs;
  }
}

/** Ranks that a leg knows although they lie beyond its cutoff. */
function beyondFinding(verdict: VerdictView): string | null {
  const beyond = missedBy(verdict, ['bm25', 'sparse', 'knn']).flatMap(({ leg, gate }) =>
    gate.threshold === null
      ? []
      : [{ rank: t.beyond[leg](gate.value ?? 0), keeps: gate.threshold }],
  );
  const [first] = beyond;
  if (!first) return null;
  return t.keeps(
    beyond.map((entry) => entry.rank),
    first.keeps,
  );
}

const lower = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

/** What the chart shows without an expected memory. */
function generalFinding(trace: Trace): string {
  const n = trace.results.length;
  if (trace.level === 'empty') return t.nothing;
  if (n === 0) return stageOf(trace, 'fusion').in === 0 ? t.empty : t.nothing;
  if (trace.level === 'keyword_only') return t.keywordOnly(n);
  if (trace.level === 'semantic_only') return t.semanticOnly(n);
  if (trace.level === 'substring') return t.substring(n);
  const first = trace.results[0] ?? '';
  const fused = itemOf(trace, 'fusion', first)?.rank;
  const decayed = itemOf(trace, 'decay', first)?.rank;
  if (itemOf(trace, 'rerank', first)?.reranked && decayed !== undefined && decayed > NOTABLE) {
    return t.lifted(decayed);
  }
  if (fused !== undefined && decayed !== undefined && decayed < fused && fused > NOTABLE) {
    return t.aged(fused);
  }
  return votesFinding(trace, n);
}

/** How far the legs agree about the results. */
function votesFinding(trace: Trace, n: number): string {
  const votes = trace.results.map((id) => {
    const terms = itemOf(trace, 'fusion', id)?.terms ?? [];
    return LEGS.filter((leg) => (termOf(terms, PART_OF[leg]) ?? 0) > 0);
  });
  const isThird = votes.some((legs) => legs.includes('sparse'));
  const of = (count: number) => votes.filter((legs) => legs.length >= count).length;
  const alone = (leg: Leg) => votes.filter((legs) => legs.length === 1 && legs[0] === leg).length;
  if (isThird && of(3) === n) return t.allThree(n);
  if (!isThird && of(2) === n) return t.allBoth(n);
  if (of(2) * 2 >= n) return isThird ? t.severalLegs(of(2), n) : t.someBoth(of(2), n);
  // Of two that found as many alone, words are named: they can be looked up.
  const [most] = (['bm25', 'knn', 'sparse'] as const).toSorted((a, b) => alone(b) - alone(a));
  return most && alone(most) > 0 ? t.alone[most](alone(most), n) : t.apart(n);
}

/** One sentence that states what the rank flow shows. */
export function finding(trace: Trace, verdict: VerdictView | null): string {
  return verdict ? expectedFinding(trace, verdict) : generalFinding(trace);
}

/** Why the expected memory's line ends where it ends, written beside its last point. */
export function exitLabel(trace: Trace, verdict: VerdictView): string {
  const decayed = itemOf(trace, 'decay', verdict.expected)?.rank ?? gateOf(verdict, 'decay')?.value;
  const rerank = itemOf(trace, 'rerank', verdict.expected);
  const e = xray.exit;
  switch (verdict.lost_at) {
    case 'fusion':
    case 'decay':
    case 'rerank':
      if (decayed == null) return e.legs;
      // Read, and put below the results by what was read.
      return rerank && !isBelowWindow(rerank)
        ? e.results(rerank.rank, trace.constants.results)
        : e.window(decayed, trace.constants.rerank_window);
    case 'select':
      return rerank ? e.results(rerank.rank, trace.constants.results) : e.cut;
    case 'duplicate':
      return e.duplicate;
    case 'budget':
      return e.budget;
    case 'knn':
    case 'bm25':
    case 'sparse':
      return placeAtGate(trace, verdict, verdict.lost_at)
        ? (lostWords(trace, verdict) ?? '')
        : e.legs;
    default:
      return '';
  }
}
