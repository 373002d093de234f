/** How well a memory answers the query: a star beside a result, four choices in its details. */
import type { KeyboardEvent } from 'react';
import { ToggleButton } from 'react-aria-components/ToggleButton';
import { isKey } from '../../app/keyboard';
import { useGrades, useJudge } from '../../ipc/golden';
import { xray } from '../../locales/en/xray';
import css from './Grade.module.css';
import { Segmented } from './Segmented';

const t = xray.judge;

const BEST = 3;

/** Grades of a query's memories, and how to change one. */
export function useJudging(recall: string | undefined) {
  const grades = useGrades(recall);
  const judge = useJudge();
  const gradeOf = (id: string): number | null => grades.data?.grades[id] ?? null;
  return {
    gradeOf,
    /** The same grade again takes it back. */
    give(id: string, grade: number) {
      if (recall === undefined) return;
      judge.mutate({ recall, id, grade: gradeOf(id) === grade ? null : grade });
    },
    takeBack(id: string) {
      if (recall !== undefined) judge.mutate({ recall, id, grade: null });
    },
  };
}

/** 0–3 while a row has the focus. */
export function gradeKey(event: KeyboardEvent): number | null {
  const grade = isKey(event, 'judge');
  return grade === null ? null : Number(grade);
}

/** Judged or not at a glance; a press says "exactly this" or takes the judgement back. */
export function Star(props: {
  name: string;
  grade: number | null;
  onGive: (grade: number) => void;
  onTakeBack: () => void;
}) {
  const { name, grade } = props;
  const word = grade === null ? t.none : (t.grades[grade] ?? String(grade));
  return (
    <ToggleButton
      className={css.star ?? ''}
      data-grade={grade ?? undefined}
      isSelected={grade !== null}
      onChange={() => (grade === null ? props.onGive(BEST) : props.onTakeBack())}
      aria-label={grade === null ? t.star(name) : t.unstar(word, name)}
    >
      <span title={`${word}. ${t.keys}`} aria-hidden="true">
        {grade === null ? '☆' : `${grade > 0 ? '★' : '✕'}${grade}`}
      </span>
    </ToggleButton>
  );
}

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
