/** Paints the map. */
import { type Place, type Size, toCanvas, type View } from './view';

export interface Layers {
  x: readonly number[];
  y: readonly number[];
  /** The colour group of each point. */
  group: readonly number[];
  colours: readonly string[];
  /** Groups that are singled out; empty = all. */
  single: ReadonlySet<number>;
  /** Points that are picked; null = nothing was picked. */
  picked: ReadonlySet<number> | null;
}

/** Beyond this many points they are written into an image pixel by pixel, which takes milliseconds. */
const ROUND = 6000;

/** How much of its colour a point keeps that is not singled out or picked, 0–255. */
const QUIET = 46;

/** Half the side of a point: larger where there is room. */
export function radius(view: View, whole: View, count: number): number {
  const base = count > 20_000 ? 1 : count > ROUND ? 1.4 : 2.6;
  return Math.min(5, base * Math.max(1, Math.sqrt(view.scale / whole.scale)));
}

/** The group whose colour a point has, or −1 when it is quiet. */
function groupOf({ group, colours, single, picked }: Layers, at: number): number {
  const own = Math.min(group[at] as number, colours.length - 1);
  const out = (single.size > 0 && !single.has(own)) || (picked !== null && !picked.has(at));
  return out ? -1 : own;
}

/** Paints all points; the newer of two lies on top. */
export function drawPoints(
  context: CanvasRenderingContext2D,
  layers: Layers,
  view: View,
  whole: View,
  size: Size,
): void {
  const r = radius(view, whole, layers.x.length);
  if (layers.x.length > ROUND) drawDots(context, layers, view, size, r);
  else drawDiscs(context, layers, view, size, r);
}

function drawDiscs(
  context: CanvasRenderingContext2D,
  layers: Layers,
  view: View,
  size: Size,
  r: number,
): void {
  const { x, y, colours } = layers;
  // Points of one colour are painted together: changing the brush is what costs.
  const places: Place[][] = [...colours, ''].map(() => []);
  for (let at = 0; at < x.length; at += 1) {
    const place = toCanvas(view, size, x[at] as number, y[at] as number);
    if (place[0] < -r || place[0] > size.width + r) continue;
    if (place[1] < -r || place[1] > size.height + r) continue;
    const own = groupOf(layers, at);
    (places[own < 0 ? colours.length : own] as Place[]).push(place);
  }
  const paint = (group: number, colour: string, alpha: number) => {
    context.globalAlpha = alpha;
    context.fillStyle = colour;
    context.beginPath();
    for (const [px, py] of places[group] as Place[]) {
      context.moveTo(px + r, py);
      context.arc(px, py, r, 0, 2 * Math.PI);
    }
    context.fill();
  };
  paint(colours.length, colours[colours.length - 1] ?? '#888888', QUIET / 255);
  for (const [group, colour] of colours.entries()) paint(group, colour, 0.85);
  context.globalAlpha = 1;
}

const images = new WeakMap<CanvasRenderingContext2D, ImageData>();

/** The image of a canvas' size that is written to, kept from frame to frame. */
function imageOf(context: CanvasRenderingContext2D): ImageData {
  const { width, height } = context.canvas;
  const held = images.get(context);
  if (held && held.width === width && held.height === height) return held;
  const image = context.createImageData(width, height);
  images.set(context, image);
  return image;
}

/** "#rrggbb" as the four bytes of a pixel, in the order in which images hold them. */
function pixel(colour: string, alpha: number): number {
  const bytes = new Uint8ClampedArray(4);
  for (let at = 0; at < 3; at += 1)
    bytes[at] = Number.parseInt(colour.slice(1 + 2 * at, 3 + 2 * at), 16);
  bytes[3] = alpha;
  return new Uint32Array(bytes.buffer)[0] as number;
}

function drawDots(
  context: CanvasRenderingContext2D,
  layers: Layers,
  view: View,
  size: Size,
  r: number,
): void {
  const { x, y, colours } = layers;
  const image = imageOf(context);
  const { width, height } = image;
  const pixels = new Uint32Array(image.data.buffer);
  pixels.fill(0);
  const ratio = width / size.width;
  const side = Math.max(1, Math.round(2 * r * ratio));
  const inks = colours.map((colour) => pixel(colour, 255));
  const quiet = pixel(colours[colours.length - 1] ?? '#888888', QUIET);
  const scale = view.scale * ratio;
  for (let at = 0; at < x.length; at += 1) {
    const left = Math.round(width / 2 + ((x[at] as number) - view.x) * scale - side / 2);
    if (left < 0 || left + side > width) continue;
    const top = Math.round(height / 2 - ((y[at] as number) - view.y) * scale - side / 2);
    if (top < 0 || top + side > height) continue;
    const own = groupOf(layers, at);
    const ink = own < 0 ? quiet : (inks[own] as number);
    for (let row = top; row < top + side; row += 1) {
      const start = row * width + left;
      for (let cell = start; cell < start + side; cell += 1) {
        // What is quiet never covers what is not.
        if (own >= 0 || pixels[cell] === 0) pixels[cell] = ink;
      }
    }
  }
  context.putImageData(image, 0, 0);
}

export interface Mark {
  x: number;
  y: number;
  /** `query` is a cross, `expected` a ring, `open` a plain ring. */
  shape: 'query' | 'expected' | 'open';
  label: string;
  colour: string;
}

/** The marks lie above all points, each with its name. */
export function drawMarks(
  context: CanvasRenderingContext2D,
  marks: readonly Mark[],
  view: View,
  size: Size,
  ink: { text: string; ground: string; font: string },
): void {
  for (const mark of marks) {
    const [px, py] = toCanvas(view, size, mark.x, mark.y);
    context.lineWidth = 2.5;
    context.strokeStyle = mark.colour;
    context.beginPath();
    if (mark.shape === 'query') {
      context.moveTo(px - 9, py);
      context.lineTo(px + 9, py);
      context.moveTo(px, py - 9);
      context.lineTo(px, py + 9);
    } else context.arc(px, py, mark.shape === 'expected' ? 8 : 6, 0, 2 * Math.PI);
    context.stroke();
    context.font = ink.font;
    const width = context.measureText(mark.label).width;
    const side = px + 14 + width > size.width ? px - 14 - width : px + 14;
    context.globalAlpha = 0.85;
    context.fillStyle = ink.ground;
    context.fillRect(side - 3, py - 9, width + 6, 18);
    context.globalAlpha = 1;
    context.fillStyle = ink.text;
    context.textBaseline = 'middle';
    context.fillText(mark.label, side, py);
  }
}
