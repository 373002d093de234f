/** The title of the rank flow: what this chart shows, in one sentence. */
import type { Trace, VerdictView } from '../../ipc/bindings';
import { xray } from '../../locales/en/xray';
import { gateOf } from '../../stages/context';
import { lostWords, placeAtGate } from '../../stages/lost';
import { isBelowWindow, itemOf, stageOf, termOf } from '../../trace/model';

const t = xray.finding;
/** From this many places on, a move is worth a title. */
const NOTABLE = 3;

/** How the expected memory fared: which leg found it, how far it came, what stopped it. */
function expectedFinding(trace: Trace, verdict: VerdictView): string {
  const early = verdict.lost_at !== null ? t.lost[verdict.lost_at] : undefined;
  const place = trace.results.indexOf(verdict.expected);
  const found = (name: string) => gateOf(verdict, name)?.verdict === 'ok';
  const legs =
    found('knn') && found('bm25')
      ? t.legs.both
      : found('bm25')
        ? t.legs.words
        : found('knn')
          ? t.legs.meaning
          : t.legs.none;
  if (verdict.in_results && place >= 0) return `${t.found(place + 1)}: ${lower(legs)}`;
  if (early) return early;
  const leg = verdict.lost_at === 'knn' || verdict.lost_at === 'bm25' ? verdict.lost_at : null;
  const lost = leg && placeAtGate(trace, verdict, leg);
  if (leg && lost) {
    const other = leg === 'knn' ? 'bm25' : 'knn';
    const beside = gateOf(verdict, other);
    const rank = beside?.verdict === 'missed' && beside.value !== null ? beside.value : null;
    const said = t.lostAt(leg, t.leg[leg], lost);
    return rank === null ? said : `${said}; ${t.beyond[other](rank)}`;
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
  const beyond = (['bm25', 'knn'] as const).flatMap((name) => {
    const gate = gateOf(verdict, name);
    return gate?.verdict === 'missed' && gate.value !== null && gate.threshold !== null
      ? [{ rank: t.beyond[name](gate.value), keeps: gate.threshold }]
      : [];
  });
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
  const votes = trace.results.map((id) => {
    const terms = itemOf(trace, 'fusion', id)?.terms ?? [];
    const meaning = (termOf(terms, 'knn_part') ?? 0) > 0;
    const words = (termOf(terms, 'bm25_part') ?? 0) > 0;
    return meaning && words ? 'both' : meaning ? 'meaning' : 'words';
  });
  const of = (vote: string) => votes.filter((entry) => entry === vote).length;
  if (of('both') === n) return t.allBoth(n);
  if (of('both') * 2 >= n) return t.someBoth(of('both'), n);
  if (of('meaning') > of('words')) return t.oneLegMeaning(of('meaning'), n);
  if (of('words') > 0) return t.oneLegWords(of('words'), n);
  return t.apart(n);
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
      return placeAtGate(trace, verdict, verdict.lost_at)
        ? (lostWords(trace, verdict) ?? '')
        : e.legs;
    default:
      return '';
  }
}
