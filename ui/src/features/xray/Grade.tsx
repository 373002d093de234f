/** How well a memory answers the query: a star beside a result, four choices in its details. */
import { type KeyboardEvent, memo, useMemo } from 'react';
import { failed } from '../../components/failure';
import { useGrades, useJudge } from '../../ipc/golden';
import { xray } from '../../locales/en/xray';
import { isKey } from '../../shell/keyboard';
import css from './Grade.module.css';
import { Segmented } from './Segmented';

const t = xray.judge;

const BEST = 3;

export interface Judging {
  gradeOf: (id: string) => number | null;
  /** The same grade again takes it back. */
  give: (id: string, grade: number) => void;
  takeBack: (id: string) => void;
}

/** Grades of a query's memories, and how to change one; the same object until one changes. */
export function useJudging(recall: string | undefined): Judging {
  const { data } = useGrades(recall);
  const { mutate } = useJudge(failed);
  return useMemo(() => {
    const gradeOf = (id: string): number | null => data?.grades[id] ?? null;
    return {
      gradeOf,
      give(id, grade) {
        if (recall === undefined) return;
        mutate({ recall, id, grade: gradeOf(id) === grade ? null : grade });
      },
      takeBack(id) {
        if (recall !== undefined) mutate({ recall, id, grade: null });
      },
    };
  }, [recall, data, mutate]);
}

/** 0–3 while a row has the focus. */
export function gradeKey(event: KeyboardEvent): number | null {
  const grade = isKey(event, 'judge');
  return grade === null ? null : Number(grade);
}

/** Judged or not at a glance; a press says "exactly this" or takes the judgement back. */
export const Star = memo(function Star(props: {
  id: string;
  name: string;
  grade: number | null;
  judging: Judging;
}) {
  const { id, name, grade, judging } = props;
  const word = grade === null ? t.none : (t.grades[grade] ?? String(grade));
  return (
    <button
      type="button"
      className={css.star}
      data-grade={grade ?? undefined}
      aria-pressed={grade !== null}
      onClick={() => (grade === null ? judging.give(id, BEST) : judging.takeBack(id))}
      aria-label={grade === null ? t.star(name) : t.unstar(word, name)}
    >
      <span title={`${word}. ${t.keys}`} aria-hidden="true">
        {grade === null ? '☆' : `${grade > 0 ? '★' : '✕'}${grade}`}
      </span>
    </button>
  );
});

/** All four grades as words. */
export function GradeChoice({ recall, id }: { recall: string; id: string }) {
  const judging = useJudging(recall);
  const grade = judging.gradeOf(id);
  return (
    <div className={css.choice}>
      <span>{t.group}</span>
      <Segmented
        label={t.group}
        value={grade === null ? 'none' : String(grade)}
        choices={[['none', '–'], ...t.grades.map((word, index) => [String(index), word] as const)]}
        onChange={(chosen) =>
          chosen === 'none' ? judging.takeBack(id) : judging.give(id, Number(chosen))
        }
      />
    </div>
  );
}
