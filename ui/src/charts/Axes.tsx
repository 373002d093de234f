/** The frame of a plot: grid lines and ticks of both axes, and what the axes are. */
import css from './Axes.module.css';

interface Tick {
  value: number;
  at: number;
}

export function Axes(props: {
  /** The plot's edges and ticks, in pixels. */
  plot: {
    left: number;
    right: number;
    top: number;
    bottom: number;
    xTicks: readonly Tick[];
    yTicks: readonly Tick[];
  };
  height: number;
  formatX: (value: number) => string;
  xLabel: string;
  yLabel: string;
}) {
  const { plot } = props;
  return (
    <>
      {plot.yTicks.map((tick) => (
        <g key={tick.value}>
          <line className={css.grid} x1={plot.left} x2={plot.right} y1={tick.at} y2={tick.at} />
          <text className={css.tick} x={plot.left - 7} y={tick.at + 3.5} textAnchor="end">
            {tick.value.toFixed(2)}
          </text>
        </g>
      ))}
      {plot.xTicks.map((tick) => (
        <text
          key={tick.value}
          className={css.tick}
          x={tick.at}
          y={plot.bottom + 15}
          textAnchor="middle"
        >
          {props.formatX(tick.value)}
        </text>
      ))}
      <text
        className={css.title}
        x={(plot.left + plot.right) / 2}
        y={props.height - 5}
        textAnchor="middle"
      >
        {props.xLabel}
      </text>
      <text
        className={css.title}
        transform={`translate(11 ${(plot.top + plot.bottom) / 2}) rotate(-90)`}
        textAnchor="middle"
      >
        {props.yLabel}
      </text>
    </>
  );
}
