/**
 * Many trials at once: one line each, one axis per constant, score and time.
 *
 * Dragging along an axis brushes it; so do the two sliders of each axis by keyboard, from one tried
 * value to the next. The table beside it lists what the brushes let through.
 */
import { type PointerEvent, useMemo, useRef, useState } from 'react';
import { useWidth } from '../width';
import { type Axis, type Brushes, type Line, layout, moved, passes } from './layout';
import css from './ParallelCoordinates.module.css';

export interface Drawn extends Line {
  /** 0 (worst) to 1 (best): the strength of its colour. */
  strength: number;
  /** A part of the pipeline is taken out: drawn dashed. */
  ablation: boolean;
}

export interface ParallelCoordinatesProps {
  /** The sentence that states what it shows. */
  title: string;
  axes: readonly Axis[];
  lines: readonly Drawn[];
  brushes: Brushes;
  selected: number | null;
  onBrush: (brushes: Brushes) => void;
  onSelect: (id: number) => void;
  /** Names of an axis' two sliders. */
  fromLabel: (axis: string) => string;
  toLabel: (axis: string) => string;
}

const HEIGHT = 300;

/** How far from a line a press still counts as on it, in pixels. */
const REACH = 8;

/** How far the pointer must go before it brushes rather than presses. */
const DRAG = 4;

export function ParallelCoordinates(props: ParallelCoordinatesProps) {
  const { axes, lines, brushes, selected, onBrush } = props;
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box, 420, 1180);
  const plot = useMemo(() => layout(axes, lines, width, HEIGHT), [axes, lines, width]);
  const drag = useRef<{ axis: number; from: number; moved: boolean } | null>(null);
  const [focused, setFocused] = useState<string | null>(null);
  // What passes lies above what does not, the selected line above all.
  const drawn = useMemo(
    () =>
      [...lines].sort(
        (a, b) =>
          Number(a.id === selected) - Number(b.id === selected) ||
          Number(passes(a, brushes)) - Number(passes(b, brushes)) ||
          a.strength - b.strength,
      ),
    [lines, brushes, selected],
  );
  const place = (event: PointerEvent<SVGSVGElement>): [number, number] => {
    const frame = event.currentTarget.getBoundingClientRect();
    return [event.clientX - frame.left, event.clientY - frame.top];
  };
  const down = (event: PointerEvent<SVGSVGElement>) => {
    if (event.button !== 0) return;
    const [x, y] = place(event);
    const axis = plot.axes.findIndex((one) => Math.abs(one.x - x) < 14);
    drag.current = axis < 0 ? null : { axis, from: y, moved: false };
    if (axis >= 0) event.currentTarget.setPointerCapture(event.pointerId);
  };
  const move = (event: PointerEvent<SVGSVGElement>) => {
    const held = drag.current;
    const axis = held ? plot.axes[held.axis] : undefined;
    if (!held || !axis) return;
    const [, y] = place(event);
    if (Math.abs(y - held.from) > DRAG) held.moved = true;
    if (held.moved) onBrush(moved(brushes, held.axis, [axis.at(held.from), axis.at(y)]));
  };
  const up = (event: PointerEvent<SVGSVGElement>) => {
    const held = drag.current;
    drag.current = null;
    if (held?.moved) return;
    // A press on an axis takes its brush away, one elsewhere picks the line under it.
    if (held && brushes[held.axis]) onBrush(moved(brushes, held.axis, null));
    else {
      const [x, y] = place(event);
      const found = nearest(drawn, plot.axes, brushes, x, y);
      if (found !== null) props.onSelect(found);
    }
  };
  return (
    <div ref={box} className={css.frame} style={{ height: HEIGHT }}>
      <svg
        width={width}
        height={HEIGHT}
        role="img"
        aria-label={props.title}
        onPointerDown={down}
        onPointerMove={move}
        onPointerUp={up}
      >
        {drawn.map((line) => (
          <path
            key={line.id}
            className={css.line}
            d={plot.paths.get(line.id)}
            data-out={!passes(line, brushes) || undefined}
            data-ablation={line.ablation || undefined}
            data-selected={line.id === selected || undefined}
            style={
              { '--strength': `${Math.round(25 + 75 * line.strength)}%` } as React.CSSProperties
            }
          />
        ))}
        {plot.axes.map((axis, at) => {
          const brush = brushes[at];
          const [low, high] = brush ? [axis.y(brush[0]), axis.y(brush[1])] : [0, 0];
          return (
            <g key={axes[at]?.label} className={css.axis}>
              <line x1={axis.x} x2={axis.x} y1={plot.top} y2={plot.bottom} />
              {axis.ticks.map((tick) => (
                <text key={tick.value} x={axis.x - 6} y={tick.at + 3.5} textAnchor="end">
                  {axes[at]?.format(tick.value)}
                </text>
              ))}
              <text className={css.name} x={axis.x} y={14} textAnchor="middle">
                {axes[at]?.label}
              </text>
              {brush ? (
                <rect
                  className={css.brush}
                  x={axis.x - 7}
                  width={14}
                  y={high}
                  height={Math.max(2, low - high)}
                />
              ) : null}
              {focused?.startsWith(`${at} `) ? (
                <circle
                  className={css.focus}
                  cx={axis.x}
                  cy={axis.y(endOf(axis.stops, brush, focused.endsWith('to')))}
                  r={8}
                />
              ) : null}
            </g>
          );
        })}
      </svg>
      {plot.axes.map((axis, at) =>
        (['from', 'to'] as const).map((end) => {
          const brush = brushes[at];
          const format = axes[at]?.format ?? String;
          const value = endOf(axis.stops, brush, end === 'to');
          return (
            <input
              key={`${axes[at]?.label} ${end}`}
              type="range"
              className={css.end}
              style={{ left: axis.x - 8, top: plot.top, height: plot.bottom - plot.top }}
              aria-label={(end === 'from' ? props.fromLabel : props.toLabel)(axes[at]?.label ?? '')}
              aria-valuetext={format(value)}
              min={0}
              max={Math.max(0, axis.stops.length - 1)}
              step={1}
              value={stopOf(axis.stops, value)}
              onFocus={() => setFocused(`${at} ${end}`)}
              onBlur={() => setFocused(null)}
              onChange={(event) => {
                const next = axis.stops[Number(event.target.value)] ?? value;
                const other = endOf(axis.stops, brush, end !== 'to');
                const whole = [axis.stops[0] ?? 0, axis.stops.at(-1) ?? 0] as const;
                // One end stops at the other, so that a key press never turns the brush over.
                const pair: [number, number] =
                  end === 'from' ? [Math.min(next, other), other] : [other, Math.max(next, other)];
                const all = pair[0] === whole[0] && pair[1] === whole[1];
                onBrush(moved(brushes, at, all ? null : pair));
              }}
            />
          );
        }),
      )}
    </div>
  );
}

/** One end of a brush; without one, of all values. */
function endOf(
  stops: readonly number[],
  brush: readonly [number, number] | null | undefined,
  upper: boolean,
): number {
  if (brush) return brush[upper ? 1 : 0];
  return (upper ? stops.at(-1) : stops[0]) ?? 0;
}

/** The place of the tried value nearest to a value. */
function stopOf(stops: readonly number[], value: number): number {
  let best = 0;
  stops.forEach((stop, at) => {
    if (Math.abs(stop - value) < Math.abs((stops[best] ?? 0) - value)) best = at;
  });
  return best;
}

/** The line nearest to a place between two axes; the uppermost of equals. */
function nearest(
  lines: readonly Drawn[],
  axes: ReturnType<typeof layout>['axes'],
  brushes: Brushes,
  x: number,
  y: number,
): number | null {
  const right = axes.findIndex((axis) => axis.x >= x);
  if (right < 1) return null;
  const [a, b] = [axes[right - 1], axes[right]];
  if (!a || !b) return null;
  const share = (x - a.x) / (b.x - a.x);
  let best: { id: number; away: number } | null = null;
  for (const line of lines) {
    if (!passes(line, brushes)) continue;
    const from = a.y(line.values[right - 1] ?? 0);
    const to = b.y(line.values[right] ?? 0);
    const away = Math.abs(from + share * (to - from) - y);
    if (away <= REACH && (best === null || away <= best.away)) best = { id: line.id, away };
  }
  return best?.id ?? null;
}
