/** The constants that have a slider: their ranges, how they are written, what helps. */
import { type Constants, type FixView, type Stage, TABLE } from '../ipc/bindings';
import { named, xray } from '../locales/en/xray';
import { read } from './ageing';

type Row = (typeof TABLE)[number];

/** A constant that a slider moves. */
export type Numeric = Extract<Row, { kind: 'number' }>['name'];

export interface ConstantSpec {
  name: Numeric;
  /** The lowest and the highest value allowed. */
  range: readonly [number, number];
  /** The part of the range that a slider covers. */
  min: number;
  max: number;
  step: number;
  /** Logarithmic tracks give days and years the same room. */
  scale: 'linear' | 'log';
  unit: string;
  digits: number;
}

type NumberRow = Extract<Row, { kind: 'number' }>;

/** The constants that a slider moves, in the order of the pipeline. */
export const NUMBERS = TABLE.filter((row): row is NumberRow => row.kind === 'number');

type Named<Kind> = Extract<Row, { kind: Kind }>['name'];

/** The constants that are one of a few names, in the order of the pipeline. */
export const CHOICES = TABLE.filter((row) => row.kind === 'choice').map(
  (row) => row.name as Named<'choice'>,
);

/** The constants that are on or off. */
export const SWITCHES = TABLE.filter((row) => row.kind === 'switch').map(
  (row) => row.name as Named<'switch'>,
);

const asSpec = ({ name, range, track, unit, digits }: NumberRow): ConstantSpec => ({
  name,
  range,
  min: track.low,
  max: track.high,
  step: track.step,
  scale: track.scale,
  unit,
  digits,
});

/** What changes a rank or a metric by itself, and so can be swept. */
export const SPECS: readonly ConstantSpec[] = NUMBERS.filter(
  (row) => row.ladder.length > 0 && row.acts_in_standard,
).map(asSpec);

/** What does not: sliders, but nothing to sweep. */
const BESIDE: readonly ConstantSpec[] = NUMBERS.map(asSpec).filter(
  ({ name }) => !SPECS.some((spec) => spec.name === name),
);

/** The constants that most misses turn on: their sliders are always there. */
const ESSENTIAL: ReadonlySet<string> = new Set(
  TABLE.filter((row) => row.essential).map((row) => row.name),
);

export const isEssential = (name: string) => ESSENTIAL.has(name);

/** The constants that tell presets apart. */
export const COMPARED: ReadonlyArray<keyof Constants> = TABLE.filter((row) => row.compared).map(
  (row) => row.name as keyof Constants,
);

/** What shapes a stage, as pairs of words: its constants in force, and what is built in. */
export function factsOfStage(stage: Stage, constants: Constants): Array<[string, string]> {
  return TABLE.filter((row) => (row.stages as readonly Stage[]).includes(stage)).map((row) =>
    row.kind === 'fixed'
      ? [row.label, String(row.standard)]
      : described(row.name, constants[row.name]),
  );
}

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
export function specOf(name: Numeric): ConstantSpec;
export function specOf(name: string): ConstantSpec | undefined;
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
  // The end of a track is not the end of the range: beyond it there are values that may not work.
  const open = spec && hi >= spec.range[1];
  const closed = spec && lo <= spec.range[0];
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

/** The words for each name that a choice can be. */
export function choicesOf(name: string): Record<string, string> {
  const choices = TABLE.find((row) => row.name === name)?.choices ?? [];
  return Object.fromEntries(choices.map((choice) => [choice.name, choice.label]));
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
  return [label, named(choicesOf(name), value)];
}
