/** The invented core's judged queries: stored, measured, compared, swept. */
import type {
  ComparisonView,
  Constants,
  GoldenQueryView,
  GradesView,
  HeadroomView,
  HeldOutView,
  MeasureView,
  MetricsView,
  ScoresView,
  SweepView,
  TrialsRequest,
  TrialsView,
} from '../bindings';
import { PRESETS } from './constants';
import { leftOver } from './headroom';
import type { Recalls } from './recalls';
import { heldOutOf, type Lab, sweepOf, trialsOf } from './sweeps';

interface Golden {
  id: string;
  text: string;
  grades: Map<string, number>;
}

const NOTHING: ScoresView = { success_5: 0, mrr_10: 0, ndcg_10: 0, recall_10: 0 };
const KEYS = ['success_5', 'mrr_10', 'ndcg_10', 'recall_10'] as const;

function gain(grades: number[]): number {
  return grades.slice(0, 10).reduce((sum, grade, index) => sum + grade / Math.log2(index + 2), 0);
}

function first(ranked: string[], grades: Map<string, number>): number | null {
  const at = ranked.findIndex((id) => (grades.get(id) ?? 0) > 0);
  return at < 0 ? null : at + 1;
}

function scored(ranked: string[], grades: Map<string, number>): ScoresView {
  const relevant = [...grades.values()].filter((grade) => grade > 0).length;
  const rank = first(ranked.slice(0, 10), grades);
  return {
    success_5: rank !== null && rank <= 5 ? 1 : 0,
    mrr_10: rank === null ? 0 : 1 / rank,
    ndcg_10:
      gain(ranked.map((id) => grades.get(id) ?? 0)) /
      gain([...grades.values()].sort((a, b) => b - a)),
    recall_10: ranked.slice(0, 10).filter((id) => (grades.get(id) ?? 0) > 0).length / relevant,
  };
}

function metrics(ranked: string[], grades: Map<string, number>): MetricsView {
  const shown = ranked.slice(0, 10);
  return {
    lower: scored(ranked, grades),
    upper: { success_5: 1, mrr_10: 1, ndcg_10: 1, recall_10: 1 },
    judged_10: shown.filter((id) => grades.has(id)).length / Math.max(1, shown.length),
  };
}

function mean(all: ScoresView[]): ScoresView {
  const sum = { ...NOTHING };
  for (const one of all) for (const key of KEYS) sum[key] += one[key] / all.length;
  return sum;
}

function overall(all: MetricsView[]): MetricsView {
  return {
    lower: mean(all.map((one) => one.lower)),
    upper: mean(all.map((one) => one.upper)),
    judged_10: all.reduce((sum, one) => sum + one.judged_10, 0) / Math.max(1, all.length),
  };
}

/** All judgements since the core was made. */
export class Goldens {
  private golden: Golden[] = [];
  private last = 0;

  /** Memories that were judged to answer a text. */
  relevant(text: string): ReadonlySet<string> {
    const known = this.golden.find((one) => one.text === text);
    return new Set([...(known?.grades ?? [])].filter(([, grade]) => grade > 0).map(([id]) => id));
  }

  constructor(
    private readonly recalls: Recalls,
    private readonly missing: () => Error,
  ) {}

  judge(text: string, memory: string, grade: number | null): GradesView {
    let query = this.golden.find((one) => one.text === text);
    if (!query) {
      this.last += 1;
      query = { id: `q${this.last}`, text, grades: new Map() };
      this.golden.push(query);
    }
    if (grade === null) query.grades.delete(memory);
    else query.grades.set(memory, grade);
    this.golden = this.golden.filter((one) => one.grades.size > 0);
    return this.grades(text);
  }

  grades(text: string): GradesView {
    const query = this.golden.find((one) => one.text === text);
    return { golden: query?.id ?? null, grades: Object.fromEntries(query?.grades ?? []) };
  }

  list(): GoldenQueryView[] {
    return this.golden.map((one) => ({
      id: one.id,
      text: one.text,
      mode: 'hybrid',
      created_at: '2026-05-18T09:00:00Z',
      grades: Object.fromEntries(one.grades),
    }));
  }

  remove(id: string): GoldenQueryView[] {
    if (!this.golden.some((one) => one.id === id)) throw this.missing();
    this.golden = this.golden.filter((one) => one.id !== id);
    return this.list();
  }

  measure(baseline: Constants, current: Constants, name: string): MeasureView {
    const relevant = this.golden.filter((one) => [...one.grades.values()].some((g) => g > 0));
    const queries = relevant.map((one) => {
      const before = this.recalls.results(one.text, baseline);
      const after = this.recalls.results(one.text, current);
      return {
        id: one.id,
        text: one.text,
        judged: one.grades.size,
        baseline: metrics(before, one.grades),
        current: metrics(after, one.grades),
        baseline_rank: first(before, one.grades),
        current_rank: first(after, one.grades),
      };
    });
    const change = (one: (typeof queries)[number]) =>
      one.current.lower.ndcg_10 - one.baseline.lower.ndcg_10;
    return {
      baseline_name: name,
      golden: this.golden.length,
      baseline: overall(queries.map((one) => one.baseline)),
      current: overall(queries.map((one) => one.current)),
      better: queries.filter((one) => change(one) > 1e-9).length,
      worse: queries.filter((one) => change(one) < -1e-9).length,
      unread: 0,
      queries,
    };
  }

  compare(a: Constants, b: Constants): ComparisonView {
    const measure = this.measure(a, b, '');
    const delta = measure.current.lower.ndcg_10 - measure.baseline.lower.ndcg_10;
    return {
      measure,
      difference: {
        mean: delta,
        low: delta - 0.08,
        high: delta + 0.08,
        p: 0.41,
        verdict: 'cannot_tell',
        more: Math.max(1, 24 - measure.queries.length),
      },
    };
  }

  headroom(constants: Constants): HeadroomView {
    return leftOver(
      this.golden.filter((one) => [...one.grades.values()].some((grade) => grade > 0)),
      (text) => this.recalls.account(text, constants),
    );
  }

  sweep(constant: string, constants: Constants): SweepView {
    return sweepOf(this.lab(), constant, constants);
  }

  trials(request: TrialsRequest): TrialsView {
    return trialsOf(this.lab(), request);
  }

  holdOut(present: Constants, chosen: Constants): HeldOutView | null {
    return heldOutOf(this.lab(), present, chosen);
  }

  /** The judged queries, ready to be measured under any constants. */
  private lab(): Lab {
    return this.golden
      .filter((one) => [...one.grades.values()].some((grade) => grade > 0))
      .map(({ id, text, grades }) => ({
        id,
        text,
        scores: (constants) => scored(this.recalls.results(text, constants), grades),
      }));
  }

  qrels(): { qrels: string; topics: string } {
    const lines = this.golden.flatMap((one) =>
      [...one.grades].map(([memory, grade]) => `${one.id} 0 ${memory} ${grade}\n`),
    );
    return {
      qrels: lines.join(''),
      topics: this.golden.map((one) => `${one.id}\t${one.text}\n`).join(''),
    };
  }

  run(constants: Constants): string {
    return this.golden
      .flatMap((one) =>
        this.recalls
          .results(one.text, constants)
          .map((id, index) => `${one.id} Q0 ${id} ${index + 1} ${1 / (index + 1)} lethescope\n`),
      )
      .join('');
  }

  /** Constants of a preset that ships with the program. */
  preset(name: string): Constants {
    const preset = PRESETS.find((one) => one.name === name) ?? PRESETS[0];
    return (preset as (typeof PRESETS)[number]).constants;
  }
}
