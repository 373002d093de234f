/**
 * A slider with a mark at the default and a green band where a value works.
 *
 * A native range input carries it, because it must say its value in words ("14 d") and move on a
 * logarithmic scale, neither of which React Aria's slider can name to a screen reader.
 */
import { useId, useRef } from 'react';
import css from './Slider.module.css';

export interface SliderProps {
  label: string;
  value: number;
  min: number;
  max: number;
  step: number;
  /** Follows the finger. */
  onChange: (value: number) => void;
  /** Once the finger lets go. */
  onCommit?: (value: number) => void;
  /** Marked on the track; a double click or the key 0 goes back to it. */
  defaultValue?: number;
  /** Closed intervals in which the value works, drawn green. */
  intervals?: readonly (readonly [number, number])[];
  /** The value in words; the bare number otherwise. */
  format?: (value: number) => string;
  /** One line under the track; keeps its place when empty. */
  note?: string;
  /** `log` for values that span decades; `min` must be above 0. */
  scale?: 'linear' | 'log';
  isDisabled?: boolean;
  /** Name, track and value in one line. */
  isInline?: boolean;
}

/** Fine enough that every step of every constant has a place of its own. */
const PLACES = 2000;

function toPlace(value: number, { min, max, scale }: SliderProps): number {
  const held = Math.min(max, Math.max(min, value));
  return scale === 'log' ? Math.log(held / min) / Math.log(max / min) : (held - min) / (max - min);
}

function fromPlace(place: number, props: SliderProps): number {
  const { min, max, step, scale } = props;
  const raw = scale === 'log' ? min * (max / min) ** place : min + place * (max - min);
  return snapped(raw, min, max, step);
}

function snapped(raw: number, min: number, max: number, step: number): number {
  const value = Math.min(max, Math.max(min, Math.round(raw / step) * step));
  return Number(value.toFixed(6));
}

export function Slider(props: SliderProps) {
  const { label, value, min, max, step, onChange, onCommit, defaultValue, intervals } = props;
  const { format = String, note, scale = 'linear', isDisabled = false, isInline } = props;
  const id = useId();
  const dirty = useRef(false);
  const percent = (at: number) => `${(toPlace(at, props) * 100).toFixed(3)}%`;

  const commit = () => {
    if (dirty.current) onCommit?.(value);
    dirty.current = false;
  };
  const move = (next: number) => {
    if (next === value) return;
    dirty.current = true;
    onChange(next);
  };
  const nudge = (event: React.KeyboardEvent) => {
    // On a logarithmic track a step of the place is not a step of the value.
    const small = scale === 'log' ? Math.max(step, snapped(value * 0.05, 0, max, step)) : step;
    const large = Math.max(small * 10, snapped((max - min) / 10, 0, max, step));
    const by: Record<string, number> = {
      ArrowRight: small,
      ArrowUp: small,
      ArrowLeft: -small,
      ArrowDown: -small,
      PageUp: scale === 'log' ? value : large,
      PageDown: scale === 'log' ? -value / 2 : -large,
    };
    const delta = by[event.key];
    if (delta !== undefined) {
      event.preventDefault();
      move(snapped(value + delta, min, max, step));
    } else if (event.key === '0' && defaultValue !== undefined) move(defaultValue);
  };

  return (
    <div
      className={css.slider}
      data-disabled={isDisabled || undefined}
      data-inline={isInline || undefined}
    >
      <div className={css.head}>
        <label htmlFor={id}>{label}</label>
        <output
          htmlFor={id}
          className={css.value}
          data-moved={(defaultValue !== undefined && value !== defaultValue) || undefined}
        >
          {format(value)}
        </output>
      </div>
      <div className={css.field}>
        <div className={css.track} aria-hidden="true">
          {intervals?.map(([low, high]) => (
            <span
              key={`${low}-${high}`}
              className={css.band}
              style={{ left: percent(low), right: `calc(100% - ${percent(high)})` }}
            />
          ))}
          {defaultValue !== undefined && (
            <span className={css.default} style={{ left: percent(defaultValue) }} />
          )}
        </div>
        <input
          id={id}
          type="range"
          className={css.input}
          min={0}
          max={PLACES}
          step="any"
          value={toPlace(value, props) * PLACES}
          disabled={isDisabled}
          aria-valuetext={format(value)}
          aria-describedby={note ? `${id}-note` : undefined}
          onChange={(event) => move(fromPlace(event.target.valueAsNumber / PLACES, props))}
          onKeyDown={nudge}
          onKeyUp={commit}
          onPointerUp={commit}
          onBlur={commit}
          onDoubleClick={() => defaultValue !== undefined && move(defaultValue)}
        />
      </div>
      {note !== undefined && (
        <small id={`${id}-note`} className={css.note}>
          {note || '\u00a0'}
        </small>
      )}
    </div>
  );
}
