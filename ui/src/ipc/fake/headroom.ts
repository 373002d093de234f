/** What the invented core's judged queries leave on the table, by the core's own arithmetic. */
import type { HeadroomView, Stage, StageTrace, Trace } from '../bindings';

interface Judged {
  id: string;
  text: string;
  grades: ReadonlyMap<string, number>;
}

const LEGS: Stage[] = ['knn', 'bm25', 'sparse'];
const RANKING: Stage[] = ['fusion', 'decay', 'rerank', 'select'];

function ndcg(ids: readonly string[], grades: Judged['grades']): number {
  const gain = (all: number[]) =>
    all.slice(0, 10).reduce((sum, grade, at) => sum + grade / Math.log2(at + 2), 0);
  const best = [...grades.values()].sort((a, b) => b - a);
  return gain(ids.map((id) => grades.get(id) ?? 0)) / gain(best);
}

function recall(ids: readonly string[], grades: Judged['grades']): number {
  const relevant = [...grades].filter(([, grade]) => grade > 0).map(([id]) => id);
  return relevant.filter((id) => ids.includes(id)).length / relevant.length;
}

const best = (ids: readonly string[], grades: Judged['grades']) =>
  ndcg(
    [...new Set(ids)].sort((a, b) => (grades.get(b) ?? 0) - (grades.get(a) ?? 0)),
    grades,
  );

const ok = ({ status }: StageTrace) => status === 'ok' || status === 'degraded';

/** The lists of one query, stage by stage. */
function passages(trace: Trace, grades: Judged['grades']) {
  const items = (name: Stage) => trace.stages.find((part) => part.name === name)?.items ?? [];
  const all = (name: Stage) => items(name).map((item) => item.id);
  const kept = (name: Stage) =>
    items(name)
      .filter((item) => item.dropped === null)
      .map((item) => item.id);
  const of = (stage: Stage, before: string[], after: string[], given: number | null) => ({
    stage,
    recall_in: recall(before, grades),
    recall_out: recall(after, grades),
    ndcg_in: given,
    ndcg_out: ndcg(after, grades),
  });
  const ran = LEGS.filter((leg) => trace.stages.some((one) => one.name === leg && ok(one)));
  const legs = ran.map((leg) => of(leg, all(leg), kept(leg), null));
  const united = ran.flatMap(kept);
  let before = united;
  let given = Math.max(...legs.map((leg) => leg.ndcg_out));
  const rest = RANKING.map((stage) => {
    const after = stage === 'select' ? trace.results : all(stage);
    const passed = of(stage, before, after, given);
    before = after;
    given = passed.ndcg_out;
    return passed;
  });
  const oracle = best(united, grades);
  return {
    oracle,
    deep: best([...united, ...ran.flatMap(all)], grades),
    stages: [...legs, ...rest],
  };
}

export function leftOver(
  judged: readonly Judged[],
  account: (text: string) => Trace,
): HeadroomView {
  const seen = judged.map(({ id, text, grades }) => {
    const trace = account(text);
    return { id, text, actual: ndcg(trace.results, grades), ...passages(trace, grades) };
  });
  const mean = (values: number[]) =>
    values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
  const actual = mean(seen.map((one) => one.actual));
  const oracle = mean(seen.map((one) => one.oracle));
  const deep = mean(seen.map((one) => one.deep));
  const missing = seen.length === 0 ? 0 : 1 - actual;
  const share = missing === 0 ? 0 : (oracle - actual) / missing;
  return {
    actual,
    ranking: oracle - actual,
    cutoff: deep - oracle,
    unfound: seen.length === 0 ? 0 : 1 - deep,
    fix:
      missing < 0.02 ? 'nothing' : share >= 0.6 ? 'ranking' : share <= 0.4 ? 'retrieval' : 'both',
    stages: [...LEGS, ...RANKING].flatMap((stage) => {
      const all = seen.flatMap((one) => one.stages.filter((part) => part.stage === stage));
      if (all.length === 0) return [];
      const changed = (sign: number) =>
        all.filter((one) =>
          one.ndcg_in === null
            ? sign < 0 && one.recall_out < one.recall_in
            : (one.ndcg_out - one.ndcg_in) * sign > 1e-9,
        ).length;
      return [
        {
          stage,
          recall_in: mean(all.map((one) => one.recall_in)),
          recall_out: mean(all.map((one) => one.recall_out)),
          ndcg_in: all.some((one) => one.ndcg_in === null)
            ? null
            : mean(all.map((one) => one.ndcg_in ?? 0)),
          ndcg_out: mean(all.map((one) => one.ndcg_out)),
          helped: changed(1),
          hurt: changed(-1),
        },
      ];
    }),
    queries: seen.map(({ id, text, actual: own, oracle: ideal, deep: found }) => ({
      id,
      text,
      actual: own,
      oracle: ideal,
      deep: found,
    })),
    unread: 0,
  };
}
