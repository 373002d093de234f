/**
 * The rank flow (bump chart): one line per memory from its rank in each leg to its final place.
 *
 * The drawing itself is one image for a screen reader; its twin is the table. The names beside the
 * last column are buttons, so that the results can be opened from here by keyboard as well.
 */
import { memo, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useOneStop } from '../../components/oneStop';
import { useSlots } from '../../components/slots';
import { xray } from '../../locales/en/xray';
import { LEGS } from '../../trace/model';
import {
  COLUMNS,
  type ColumnKey,
  dotsOf,
  type FlowInput,
  type FlowLayout,
  type FlowLine,
  isNamed,
  layout,
  pathOf,
} from './layout';
import { useMoving } from './motion';
import css from './RankFlow.module.css';

export interface RankFlowProps extends Omit<FlowInput, 'width' | 'height'> {
  /** The sentence that states what the chart shows. */
  title: string;
  hot: string | null;
  /** The memory that is open. */
  selected: string | null;
  onPoint: (id: string | null) => void;
  onOpen: (id: string) => void;
  nameOf: (id: string) => string;
  /** Age or another short word at the right edge. */
  sideOf: (id: string) => string;
}

const t = xray.flow;

export function RankFlow(props: RankFlowProps) {
  const { columns, results, expected, most, duplicates, title, hot } = props;
  const [box, size] = useSize();
  const target = useMemo(
    () =>
      layout({
        ...{ columns, results, expected, most, duplicates },
        ...{ width: size.width, height: size.height },
      }),
    [columns, results, expected, most, duplicates, size.width, size.height],
  );
  const chart = useMoving(target);
  const lines = useSlots(chart.lines.map((line) => line.id));
  const names = useSlots(chart.labels.map((label) => label.id));
  const { selected } = props;
  const has = (id: string | null) => chart.lines.some((line) => line.id === id);
  const stops = useOneStop(chart.labels.map((label) => label.id));
  const ran = new Map(columns.map((column) => [column.key, column.ran]));
  return (
    <div className={css.chart} ref={box}>
      <svg
        width={chart.width}
        height={chart.height}
        role="img"
        aria-label={`${title}. ${t.describe}`}
        // A memory that has no line here must not dim those that have.
        data-hot={has(hot) ? '' : undefined}
      >
        <Axes chart={chart} ran={ran} />
        <Ribbons chart={chart} />
        {chart.lines.map((line) => (
          <Line
            key={lines.get(line.id)}
            line={line}
            hot={hot === line.id}
            isSelected={selected === line.id}
            onPoint={props.onPoint}
            onOpen={props.onOpen}
          />
        ))}
        <Marks chart={chart} />
      </svg>
      <ol
        onKeyDown={stops.onKeyDown}
        className={css.names}
        data-places={isNamed(chart.width) ? undefined : ''}
        style={{ left: chart.labelX }}
      >
        {chart.labels.map((label) => (
          <li key={names.get(label.id)} style={{ transform: `translateY(${label.y - 10}px)` }}>
            <button
              type="button"
              {...stops.of(label.id)}
              className={css.name}
              data-hot={hot === label.id || undefined}
              data-expected={expected?.id === label.id || undefined}
              onMouseEnter={() => props.onPoint(label.id)}
              onMouseLeave={() => props.onPoint(null)}
              onFocus={() => {
                stops.of(label.id).onFocus();
                props.onPoint(label.id);
              }}
              onBlur={() => props.onPoint(null)}
              onClick={() => props.onOpen(label.id)}
            >
              <span className={css.place}>{label.rank}</span>
              <span className={css.text}>{props.nameOf(label.id)}</span>
              <span className={css.side}>{props.sideOf(label.id)}</span>
            </button>
          </li>
        ))}
      </ol>
      <p className={css.status} aria-hidden="true">
        {hot !== null && has(hot) ? (
          <Story id={hot} {...props} />
        ) : chart.hidden > 0 ? (
          t.hidden(chart.hidden)
        ) : null}
      </p>
      <Elsewhere id={hot ?? selected} isDrawn={has(hot ?? selected)} columns={columns} />
    </div>
  );
}

/** What is pointed at or open without a line in the chart; then nothing in it is dimmed. */
function Elsewhere(props: { id: string | null; isDrawn: boolean; columns: FlowInput['columns'] }) {
  const { id, isDrawn, columns } = props;
  if (id === null || isDrawn) return null;
  const listed = columns.some((column) => column.ranks.has(id));
  return (
    <p className={css.elsewhere} role="status">
      {listed ? t.inRibbon : t.notHere}
    </p>
  );
}

/** The hovered memory in words: its name and its rank in every column. */
function Story({ id, columns, nameOf }: RankFlowProps & { id: string }) {
  const ranks = columns
    .filter((column) => column.ranks.has(id))
    .map((column) => `${t.columns[column.key]} ${column.ranks.get(id)}`);
  return (
    <>
      <b>{nameOf(id)}</b> <span>{ranks.join(' · ')}</span>
    </>
  );
}

function Axes({ chart, ran }: { chart: FlowLayout; ran: Map<string, boolean> }) {
  const foot = chart.height - chart.bottom;
  return (
    <g>
      {COLUMNS.map((key) => (
        <g key={key} className={css.axis} data-off={ran.get(key) === false || undefined}>
          <text x={chart.x[key]} y={22} textAnchor="middle">
            {t.columns[key]}
          </text>
          <line x1={chart.x[key]} x2={chart.x[key]} y1={34} y2={foot} />
        </g>
      ))}
      {LEGS.map((leg) => (
        <text key={leg} className={css[leg]} x={chart.x[leg]} y={foot + 18} textAnchor="middle">
          {t.legs[leg]}
        </text>
      ))}
    </g>
  );
}

/** The cuts and all words, above the lines, so that they can be read. */
function Marks({ chart }: { chart: FlowLayout }) {
  return (
    <g>
      {chart.marks.map((mark) => (
        <g key={mark.column} className={css.mark}>
          <line x1={mark.x1} x2={mark.x2} y1={mark.y} y2={mark.y} />
        </g>
      ))}
      {chart.texts.map(({ kind, text, x, y, anchor }) => (
        <text key={`${kind} ${text} ${x}`} className={css[kind]} x={x} y={y} textAnchor={anchor}>
          {text}
        </text>
      ))}
    </g>
  );
}

/** Those without a line of their own, below all lines. */
function Ribbons({ chart }: { chart: FlowLayout }) {
  return (
    <g>
      {chart.ribbons.map(({ fate, points, thickness }) => {
        const last = points.at(-1);
        return (
          <g key={fate} className={css.ribbon} data-cut={fate}>
            <path d={pathOf(points)} strokeWidth={thickness} />
            {last ? (
              <line x1={last.x} x2={last.x + 12} y1={last.y} y2={last.y} strokeWidth={thickness} />
            ) : null}
          </g>
        );
      })}
    </g>
  );
}

/** Dots of one colour are one path: hundreds of circles take longer than a frame. */
const DOTS: ReadonlyArray<{ leg: string; columns: readonly ColumnKey[] }> = [
  { leg: 'knn', columns: ['knn'] },
  { leg: 'bm25', columns: ['bm25'] },
  { leg: 'sparse', columns: ['sparse'] },
  { leg: 'both', columns: ['fusion', 'decay', 'rerank', 'final'] },
];

interface LineProps {
  line: FlowLine;
  hot: boolean;
  isSelected: boolean;
  onPoint: (id: string | null) => void;
  onOpen: (id: string) => void;
}

/** Only a line that moves or is pointed at draws again. */
const Line = memo(function Line({ line, hot, isSelected, onPoint, onOpen }: LineProps) {
  const path = pathOf(line.points);
  const radius = line.fate === 'expected' ? 5.5 : line.fate === 'result' ? 4 : 2.6;
  const last = line.points[line.points.length - 1];
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: pointer comfort; names and table serve the keyboard.
    <g
      className={css.line}
      data-fate={line.fate}
      data-hot={hot || undefined}
      data-selected={isSelected || undefined}
      onMouseEnter={() => onPoint(line.id)}
      onMouseLeave={() => onPoint(null)}
      onClick={() => onOpen(line.id)}
    >
      <path className={css.reach} d={path} />
      <path className={css.stroke} d={path} />
      {line.exit && last ? (
        <line className={css.exit} x1={last.x} y1={last.y} x2={line.exit.x} y2={line.exit.y} />
      ) : null}
      {DOTS.map(({ leg, columns }) => {
        const counted = line.points.filter(
          (point) => !point.beyond && columns.includes(point.column),
        );
        return counted.length > 0 ? (
          <path
            key={leg}
            className={css.dots}
            data-leg={leg}
            d={dotsOf(counted)}
            strokeWidth={2 * radius}
          />
        ) : null;
      })}
      {line.points
        .filter((point) => point.beyond)
        .map((point) => (
          <g key={point.column}>
            <circle className={css.hollow} cx={point.x} cy={point.y} r={radius} />
          </g>
        ))}
    </g>
  );
});

/** The box's size in whole pixels, kept up to date. */
function useSize(): [React.RefObject<HTMLDivElement | null>, { width: number; height: number }] {
  const box = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 854, height: 470 });
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () => {
      const width = Math.floor(element.clientWidth);
      const height = Math.floor(element.clientHeight);
      if (width > 0 && height > 0) {
        setSize((held) =>
          held.width === width && held.height === height ? held : { width, height },
        );
      }
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [box, size];
}
