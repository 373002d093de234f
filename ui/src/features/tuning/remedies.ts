/** What people see go wrong, and the preset or constant that most often helps; nothing is measured here. */
import type { Constants, PresetView } from '../../ipc/bindings';
import { withRule } from '../../words/ageing';
import type { Numeric } from '../../words/constants';

export const WRONGS = ['old', 'tools', 'exact', 'meaning', 'unknown'] as const;
export type Wrong = (typeof WRONGS)[number];

export interface Remedy {
  /** The preset it begins from; null leaves the constants as they are but for `changes`. */
  preset: PresetView | null;
  changes: Partial<Constants>;
  /** The constant to go on with by hand. */
  slider: Numeric;
}

/** The recommended preset first; the others keep their order. */
export function recommendedFirst(presets: readonly PresetView[]): PresetView[] {
  return presets.toSorted((a, b) => Number(b.recommended) - Number(a.recommended));
}

/** Days after which what tools wrote has lost half of what age can take. */
const TOOLS_AGE = 2;

/** How much heavier the vote of meaning becomes. */
const HEAVIER = 2;

export function remedyFor(
  wrong: Wrong,
  presets: readonly PresetView[],
  constants: Constants,
): Remedy {
  const named = (name: string) => presets.find((one) => one.builtin && one.name === name) ?? null;
  switch (wrong) {
    case 'old':
      return { preset: named('Recency-heavy'), changes: {}, slider: 'half_life_days' };
    case 'exact':
      return { preset: named('Exact-first'), changes: {}, slider: 'bm25_weight' };
    case 'tools': {
      const rules = withRule(constants.half_life_by_kind, 'tool_result', TOOLS_AGE);
      return {
        preset: null,
        changes: { half_life_by_kind: withRule(rules, 'tool_call', TOOLS_AGE) },
        slider: 'bm25_long',
      };
    }
    case 'meaning':
      return {
        preset: null,
        changes: { knn_weight: constants.knn_weight * HEAVIER || 1 },
        slider: 'knn_weight',
      };
    case 'unknown':
      return {
        preset: presets.find(({ recommended }) => recommended) ?? null,
        changes: {},
        slider: 'rerank_window',
      };
  }
}

/** The constants that a remedy leads to. */
export function under(remedy: Remedy, constants: Constants): Constants {
  return { ...(remedy.preset?.constants ?? constants), ...remedy.changes };
}

/** Which constants differ, in the order of the pipeline. */
export function differing(a: Constants, b: Constants): Array<keyof Constants> {
  return (Object.keys(a) as Array<keyof Constants>).filter((name) => a[name] !== b[name]);
}
