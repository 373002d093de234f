/**
 * What a trial is worth against what it costs. The stairs join the trials that no other one beats
 * in both; arrow keys walk from one to the next by cost, and walking selects.
 */
import { type KeyboardEvent, useMemo, useRef } from 'react';
import { Axes } from '../Axes';
import { useWidth } from '../width';
import { layout, type Point } from './layout';
import css from './Scatter.module.css';

export interface Dot extends Point {
  /** How it is called when the keyboard comes to it. */
  name: string;
  /** Present, ablation or draw: told apart by shape. */
  kind: 'present' | 'ablation' | 'trial';
  /** Brushed away. */
  out: boolean;
}

export interface ScatterProps {
  title: string;
  points: readonly Dot[];
  selected: number | null;
  onSelect: (id: number) => void;
  xLabel: string;
  yLabel: string;
  help: string;
}

const HEIGHT = 240;

export function Scatter(props: ScatterProps) {
  const { points, selected } = props;
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box, 280, 860);
  const plot = useMemo(() => layout(points, width, HEIGHT), [points, width]);
  const byCost = useMemo(() => [...points].sort((a, b) => a.x - b.x || b.y - a.y), [points]);
  const walk = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (!step || byCost.length === 0) return;
    event.preventDefault();
    const at = byCost.findIndex((point) => point.id === selected);
    const next = byCost[Math.min(byCost.length - 1, Math.max(0, at < 0 ? 0 : at + step))];
    if (next) props.onSelect(next.id);
  };
  const shown = byCost.find((point) => point.id === selected);
  return (
    <div ref={box}>
      <div
        className={css.frame}
        role="slider"
        tabIndex={0}
        aria-label={`${props.title}. ${props.help}`}
        aria-valuemin={1}
        aria-valuemax={byCost.length}
        aria-valuenow={shown ? byCost.indexOf(shown) + 1 : 1}
        aria-valuetext={shown?.name ?? byCost[0]?.name ?? ''}
        onKeyDown={walk}
      >
        <svg width={width} height={HEIGHT} aria-hidden="true">
          <Axes
            plot={plot}
            height={HEIGHT}
            formatX={String}
            xLabel={props.xLabel}
            yLabel={props.yLabel}
          />
          <path className={css.front} d={plot.stairs} />
          {points.map((point) => (
            // biome-ignore lint/a11y/noStaticElementInteractions: the frame is the control; this is its pointer's target.
            <path
              key={point.id}
              className={css.dot}
              data-kind={point.kind}
              data-out={point.out || undefined}
              data-front={plot.front.includes(point.id) || undefined}
              data-selected={point.id === selected || undefined}
              d={SHAPES[point.kind]}
              transform={`translate(${plot.x(point.x).toFixed(1)} ${plot.y(point.y).toFixed(1)})`}
              onClick={() => props.onSelect(point.id)}
            />
          ))}
        </svg>
      </div>
    </div>
  );
}

/** A disc, a square on its corner, a triangle: told apart without colour. */
const SHAPES = {
  trial: 'M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0',
  present: 'M0,-7L7,0L0,7L-7,0Z',
  ablation: 'M0,-6L6,5L-6,5Z',
} as const;
