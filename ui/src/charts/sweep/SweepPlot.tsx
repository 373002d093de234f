/**
 * The mean score over the values of one constant, with the 95 % interval as a band.
 *
 * One image for a screen reader, named by the finding; the table beside it has the numbers.
 */
import { useRef } from 'react';
import { Axes } from '../Axes';
import { useWidth } from '../width';
import { layout, type Point } from './layout';
import css from './SweepPlot.module.css';

export interface SweepPlotProps {
  /** The sentence that states what the plot shows. */
  title: string;
  points: readonly Point[];
  scale: 'linear' | 'log';
  current: number;
  best: number;
  /** Names of the axes, with units. */
  xLabel: string;
  yLabel: string;
  /** Word beside the present value. */
  nowLabel: string;
  /** A value as the axis writes it. */
  format: (value: number) => string;
}

const HEIGHT = 240;

export function SweepPlot(props: SweepPlotProps) {
  const { points, scale, title, current, best, format } = props;
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box, 260, 860);
  const plot = layout({ points, width, height: HEIGHT, scale });
  const now = plot.x(current);
  return (
    <div ref={box} className={css.plot}>
      <svg width={width} height={HEIGHT} role="img" aria-label={title}>
        <Axes
          plot={plot}
          height={HEIGHT}
          formatX={format}
          xLabel={props.xLabel}
          yLabel={props.yLabel}
        />
        <path className={css.band} d={plot.band} />
        <line className={css.now} x1={now} x2={now} y1={plot.top - 18} y2={plot.bottom} />
        <text
          className={css.nowWord}
          x={now > plot.right - 60 ? now - 4 : now + 4}
          y={plot.top - 10}
          textAnchor={now > plot.right - 60 ? 'end' : 'start'}
        >
          {props.nowLabel} {format(current)}
        </text>
        <path className={css.line} d={plot.line} />
        {plot.dots.map((dot) => (
          <circle
            key={dot.value}
            className={css.dot}
            data-best={dot.value === best || undefined}
            cx={dot.x}
            cy={dot.y}
            r={dot.value === best ? 5 : 2.5}
          />
        ))}
      </svg>
    </div>
  );
}
