/** The constants that have a slider: their ranges, how they are written, what helps. */
import type { Constants, FixView } from '../ipc/bindings';
import { named, xray } from '../locales/en/xray';
import { read } from './ageing';

export type Numeric =
  | 'candidates'
  | 'knn_feedback'
  | 'bm25_short'
  | 'bm25_long'
  | 'rrf_k'
  | 'knn_weight'
  | 'bm25_weight'
  | 'half_life_days'
  | 'decay_floor'
  | 'rerank_window'
  | 'rerank_blend'
  | 'results'
  | 'token_budget'
  | 'mmr_lambda';

export interface ConstantSpec {
  name: Numeric;
  min: number;
  max: number;
  step: number;
  /** Logarithmic tracks give days and years the same room. */
  scale: 'linear' | 'log';
  unit: string;
  digits: number;
}

export const SPECS: readonly ConstantSpec[] = [
  { name: 'candidates', min: 1, max: 500, step: 1, scale: 'log', unit: '', digits: 0 },
  { name: 'knn_feedback', min: 0, max: 2, step: 0.05, scale: 'linear', unit: '', digits: 2 },
  { name: 'bm25_short', min: 0, max: 200, step: 1, scale: 'linear', unit: '', digits: 0 },
  { name: 'bm25_long', min: 0, max: 2000, step: 10, scale: 'linear', unit: '', digits: 0 },
  { name: 'rrf_k', min: 0, max: 200, step: 1, scale: 'linear', unit: '', digits: 0 },
  { name: 'knn_weight', min: 0, max: 5, step: 0.05, scale: 'linear', unit: '', digits: 2 },
  { name: 'bm25_weight', min: 0, max: 5, step: 0.05, scale: 'linear', unit: '', digits: 2 },
  { name: 'half_life_days', min: 0.5, max: 3650, step: 0.5, scale: 'log', unit: ' d', digits: 1 },
  { name: 'decay_floor', min: 0, max: 1, step: 0.01, scale: 'linear', unit: '', digits: 2 },
  { name: 'rerank_window', min: 0, max: 200, step: 1, scale: 'linear', unit: '', digits: 0 },
  { name: 'rerank_blend', min: 0, max: 1, step: 0.01, scale: 'linear', unit: '', digits: 2 },
  { name: 'results', min: 1, max: 100, step: 1, scale: 'log', unit: '', digits: 0 },
];

/** What changes neither a rank nor a metric by itself: sliders, but nothing to sweep. */
const BESIDE: readonly ConstantSpec[] = [
  { name: 'token_budget', min: 64, max: 32_768, step: 1, scale: 'log', unit: '', digits: 0 },
  { name: 'mmr_lambda', min: 0, max: 1, step: 0.01, scale: 'linear', unit: '', digits: 2 },
];

/** The constants that most misses turn on: their sliders are always there. */
const ESSENTIAL: ReadonlySet<string> = new Set<Numeric>([
  'candidates',
  'rrf_k',
  'bm25_weight',
  'half_life_days',
  'decay_floor',
  'rerank_window',
]);

export const isEssential = (name: string) => ESSENTIAL.has(name);

/** The sliders that are always there, in the order of the pipeline. */
export const ROW: readonly ConstantSpec[] = SPECS.filter((spec) => isEssential(spec.name));

/** The sliders behind "More constants". */
export const MORE: readonly ConstantSpec[] = [
  ...SPECS.filter((spec) => !isEssential(spec.name)),
  ...BESIDE,
];

const BY_NAME = new Map<string, ConstantSpec>(
  [...SPECS, ...BESIDE].map((spec) => [spec.name, spec]),
);

/** The slider of a constant, if it has one. */
export function specOf(name: string): ConstantSpec | undefined {
  return BY_NAME.get(name);
}

/** A constant's value as the window writes it: "14 d", "0.70", "40". */
export function shown(name: string, value: number): string {
  const spec = BY_NAME.get(name);
  if (!spec) return String(Number(value.toPrecision(4)));
  const whole = spec.digits === 1 && Number.isInteger(value);
  return `${whole ? value : value.toFixed(spec.digits)}${spec.unit}`;
}

/** Part of a track, in the constant's own unit. */
export type Band = readonly [number, number];

/** The good intervals of a fix, cut to what the track can show. */
export function bandsOf(fix: FixView | undefined, spec: ConstantSpec): Band[] {
  return (fix?.intervals ?? []).flatMap(([lo, hi]): Band[] => {
    const from = Math.max(lo, spec.min);
    const to = Math.min(hi, spec.max);
    return from <= to ? [[from, to]] : [];
  });
}

/** "≥ 63", "≤ 12", "0.84–1.00", "= 5": an interval as words of arithmetic. */
export function interval(name: string, [lo, hi]: Band): string {
  const spec = BY_NAME.get(name);
  const open = spec && hi >= spec.max;
  const closed = spec && lo <= spec.min;
  if (lo === hi) return `= ${shown(name, lo)}`;
  if (open && closed) return xray.sliders.any;
  if (open) return `≥ ${shown(name, lo)}`;
  if (closed) return `≤ ${shown(name, hi)}`;
  return `${bare(name, lo)}–${shown(name, hi)}`;
}

function bare(name: string, value: number): string {
  const unit = BY_NAME.get(name)?.unit ?? '';
  const text = shown(name, value);
  return unit && text.endsWith(unit) ? text.slice(0, -unit.length) : text;
}

/** What stands under a slider while an expected memory is missing. */
export function bandNote(fix: FixView | undefined): string {
  if (!fix) return '';
  const t = xray.sliders;
  if (fix.intervals.length === 0) return t.never;
  if (fix.intervals.some(([lo, hi]) => fix.current >= lo && fix.current <= hi)) return t.worksNow;
  return t.works(fix.intervals.map((band) => interval(fix.constant, band)).join(xray.verdict.and));
}

/**
 * A value of a fix that the person can set: rounded to the slider's step, towards the inside of
 * the interval, so that rounding never leaves it.
 */
export function settable(fix: FixView): number | null {
  if (fix.nearest === null) return null;
  const spec = BY_NAME.get(fix.constant);
  const nearest = fix.nearest;
  if (!spec) return nearest;
  const band = fix.intervals.find(([lo, hi]) => nearest >= lo && nearest <= hi);
  if (!band) return nearest;
  const digits = (value: number) => Number(value.toFixed(6));
  const up = digits(Math.ceil(digits(nearest / spec.step)) * spec.step);
  const down = digits(Math.floor(digits(nearest / spec.step)) * spec.step);
  const order = nearest >= fix.current ? [up, down] : [down, up];
  return order.find((value) => value >= band[0] && value <= band[1]) ?? nearest;
}

/** Whether two sets of constants are the same ranking. */
export function sameConstants(a: Constants, b: Constants): boolean {
  return (Object.keys(a) as Array<keyof Constants>).every((key) => a[key] === b[key]);
}

/** The constants without a slider in the row whose value is not the preset's. */
export function changedBeside(constants: Constants, preset: Constants): Array<keyof Constants> {
  return (Object.keys(constants) as Array<keyof Constants>).filter(
    (name) => !isEssential(name) && constants[name] !== preset[name],
  );
}

/** One constant as a pair of words, for lists of constants in force. */
export function described(
  name: keyof Constants,
  value: Constants[keyof Constants],
): [string, string] {
  const label = named(xray.sliders.names, name);
  if (typeof value === 'boolean') return [label, value ? xray.sliders.on : xray.sliders.off];
  if (typeof value === 'number') return [label, shown(name, value)];
  if (name === 'half_life_by_kind') {
    const rules = [...read(value)].map(([kind, ageing]) =>
      typeof ageing === 'number'
        ? `${named({}, kind)} ${shown('half_life_days', ageing)}`
        : `${named({}, kind)} ${xray.ageing.evergreen}`,
    );
    return [label, rules.join(', ') || xray.ageing.none];
  }
  const words: Record<string, string> = {
    ...xray.rerank.backends,
    ...xray.sliders.clocks,
    ...xray.sliders.bounds,
    rrf: xray.sliders.rrf,
    convex: xray.sliders.convex,
  };
  return [label, named(words, value)];
}
