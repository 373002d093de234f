import { ProgressBar } from 'react-aria-components/ProgressBar';
import css from './Progress.module.css';

/** How far something is; without a total it only says that it goes on. */
export function Progress(props: {
  label: string;
  value: number;
  total: number | null;
  note?: string;
}) {
  const { label, value, total, note } = props;
  const known = total !== null && total > 0;
  return (
    <ProgressBar
      className={css.progress ?? ''}
      value={known ? value : 0}
      maxValue={known ? total : 1}
      isIndeterminate={!known}
      valueLabel={note ?? undefined}
      aria-label={label}
    >
      {({ percentage, valueText }) => (
        <>
          <span className={css.words}>
            <span>{label}</span>
            <span>{valueText}</span>
          </span>
          <span className={css.track}>
            <span
              className={known ? css.fill : css.running}
              style={known ? { width: `${percentage ?? 0}%` } : undefined}
            />
          </span>
        </>
      )}
    </ProgressBar>
  );
}
