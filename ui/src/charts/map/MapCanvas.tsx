/**
 * Points on a canvas: drag moves, the wheel zooms, the lasso picks.
 *
 * By keyboard: arrows move, + and − zoom, 0 shows everything, Enter opens the point in the middle.
 * The table twin holds the same for screen readers.
 */
import {
  type KeyboardEvent,
  type PointerEvent,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { drawMarks, drawPoints, type Layers, type Mark } from './draw';
import css from './MapCanvas.module.css';
import { inside, nearest, type Place, pan, type Size, type View, wholeOf, zoom } from './view';

/** How near the pointer must come to a point, in pixels. */
const REACH = 9;

/** How far an arrow key moves the picture, in pixels. */
const STEPS: Partial<Record<string, Place>> = {
  ArrowLeft: [60, 0],
  ArrowRight: [-60, 0],
  ArrowUp: [0, 60],
  ArrowDown: [0, -60],
};

const FACTORS: Partial<Record<string, number>> = { '+': 1.4, '=': 1.4, '-': 1 / 1.4 };

export interface MapCanvasProps extends Layers {
  label: string;
  help: string;
  marks: readonly Mark[];
  tool: 'move' | 'lasso';
  /** What is said of the point under the pointer. */
  tipOf: (index: number) => string;
  onOpen: (index: number) => void;
  /** The points inside the lasso. */
  onPick: (indices: number[]) => void;
}

export function MapCanvas(props: MapCanvasProps) {
  const { x, y, tool } = props;
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = useSize(frame);
  const [view, setView] = useState<View | null>(null);
  const whole = useMemo(() => wholeOf(x, y, size), [x, y, size]);
  const shown = view ?? whole;
  const held = useRef({ view: shown, whole, size });
  held.current = { view: shown, whole, size };
  const [hover, setHover] = useState<{ index: number; at: Place } | null>(null);
  const [line, setLine] = useState<Place[]>([]);
  const drag = useRef<{ from: Place; moved: boolean } | null>(null);
  const [pictured, setPictured] = useState(x);
  if (pictured !== x) {
    // Other points are another picture.
    setPictured(x);
    setView(null);
  }
  usePaint(canvas, props, shown, whole, size);

  const at = (event: { clientX: number; clientY: number }): Place => {
    const box = canvas.current?.getBoundingClientRect();
    return [event.clientX - (box?.left ?? 0), event.clientY - (box?.top ?? 0)];
  };
  const zoomBy = useCallback((factor: number, place?: Place) => {
    const { view: now, whole: all, size: room } = held.current;
    setView(zoom(now, room, factor, place ?? [room.width / 2, room.height / 2], all));
    setHover(null);
  }, []);
  useWheel(canvas, zoomBy);

  const down = (event: PointerEvent) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    drag.current = { from: at(event), moved: false };
    if (tool === 'lasso' || event.shiftKey) setLine([at(event)]);
  };
  const move = (event: PointerEvent) => {
    const place = at(event);
    const held = drag.current;
    if (held === null) {
      const index = nearest(x, y, shown, size, place, REACH);
      setHover(index === null ? null : { index, at: place });
      return;
    }
    if (Math.hypot(place[0] - held.from[0], place[1] - held.from[1]) > 3) held.moved = true;
    if (line.length > 0) setLine((corners) => [...corners, place]);
    else if (held.moved) {
      setView(pan(shown, place[0] - held.from[0], place[1] - held.from[1]));
      held.from = place;
    }
  };
  const up = (event: PointerEvent) => {
    const held = drag.current;
    drag.current = null;
    if (line.length > 2) props.onPick(inside(x, y, shown, size, line));
    else if (held && !held.moved) {
      const index = nearest(x, y, shown, size, at(event), REACH);
      if (index !== null) props.onOpen(index);
    }
    setLine([]);
  };
  const key = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = STEPS[event.key];
    const factor = FACTORS[event.key];
    if (step) setView(pan(shown, step[0], step[1]));
    else if (factor) zoomBy(factor);
    else if (event.key === '0') setView(null);
    else if (event.key === 'Enter') {
      const middle: Place = [size.width / 2, size.height / 2];
      const index = nearest(x, y, shown, size, middle, Math.max(size.width, size.height));
      if (index !== null) props.onOpen(index);
    } else return;
    event.preventDefault();
  };
  return (
    <div ref={frame} className={css.frame}>
      {/* biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: what is drawn takes keys of its own, which this role lets through to it. */}
      <canvas
        ref={canvas}
        className={css.canvas}
        role="application"
        aria-roledescription="map"
        aria-label={`${props.label}. ${props.help}`}
        tabIndex={0}
        data-tool={tool}
        data-over={hover !== null || undefined}
        onPointerDown={down}
        onPointerMove={move}
        onPointerUp={up}
        onPointerLeave={() => setHover(null)}
        onKeyDown={key}
      />
      {line.length > 1 ? (
        <svg className={css.lasso} aria-hidden="true">
          <polygon points={line.map((place) => place.join(',')).join(' ')} />
        </svg>
      ) : null}
      {hover ? (
        <span
          className={css.tip}
          aria-hidden="true"
          style={{
            left: Math.min(hover.at[0] + 12, Math.max(0, size.width - 280)),
            top: Math.min(hover.at[1] + 14, Math.max(0, size.height - 60)),
          }}
        >
          {props.tipOf(hover.index)}
        </span>
      ) : null}
    </div>
  );
}

/** Paints in the next frame; several changes in one frame are one painting. */
function usePaint(
  canvas: React.RefObject<HTMLCanvasElement | null>,
  props: MapCanvasProps,
  view: View,
  whole: View,
  size: Size,
) {
  useEffect(() => {
    const frame = requestAnimationFrame(() => {
      const element = canvas.current;
      const context = element?.getContext('2d');
      if (!element || !context || size.width === 0) return;
      const ratio = window.devicePixelRatio || 1;
      const [wide, high] = [Math.round(size.width * ratio), Math.round(size.height * ratio)];
      if (element.width !== wide) element.width = wide;
      if (element.height !== high) element.height = high;
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.clearRect(0, 0, size.width, size.height);
      drawPoints(context, props, view, whole, size);
      const style = getComputedStyle(element);
      drawMarks(context, props.marks, view, size, {
        text: style.getPropertyValue('--ink') || '#000',
        ground: style.getPropertyValue('--panel') || '#fff',
        font: `600 11.5px ${style.fontFamily || 'sans-serif'}`,
      });
    });
    return () => cancelAnimationFrame(frame);
  });
}

/** The room that the canvas has. */
function useSize(frame: React.RefObject<HTMLDivElement | null>): Size {
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const measure = () => setSize({ width: element.clientWidth, height: element.clientHeight });
    measure();
    if (typeof ResizeObserver === 'undefined') return;
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [frame]);
  return size;
}

/** React listens to wheels passively, where the page could not be kept from scrolling. */
function useWheel(
  canvas: React.RefObject<HTMLCanvasElement | null>,
  zoomBy: (factor: number, at: Place) => void,
) {
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const turned = (event: WheelEvent) => {
      event.preventDefault();
      const box = element.getBoundingClientRect();
      const lines = event.deltaMode === 1 ? 16 : 1;
      const factor = Math.exp(-event.deltaY * lines * 0.0016);
      zoomBy(factor, [event.clientX - box.left, event.clientY - box.top]);
    };
    element.addEventListener('wheel', turned, { passive: false });
    return () => element.removeEventListener('wheel', turned);
  }, [canvas, zoomBy]);
}
