/**
 * A stored text as a person reads it: lines, the numbers of a listing beside them, no codes of a
 * terminal, no marks of Markdown. Only what is shown changes; marks keep their places.
 */
import type { HighlightView } from '../ipc/bindings';

/** A stretch of a line that looks the same throughout. */
export interface Span {
  text: string;
  marked: boolean;
  strong: boolean;
  code: boolean;
}

export interface PassageLine {
  /** The line's number in the file that was listed. */
  number: string | null;
  /** A line of a program, a listing or a log: drawn in one width. */
  code: boolean;
  spans: Span[];
}

interface Cell {
  text: string;
  marked: boolean;
  strong?: boolean;
  code?: boolean;
}

const ESC = String.fromCharCode(27);
const BELL = String.fromCharCode(7);
/** Codes of a terminal; those of colours also where their first character was lost on the way. */
const CODES = new RegExp(
  `${ESC}\\[[0-9;?]*[ -/]*[@-~]|${ESC}\\][^${BELL}\\\\]*(?:${BELL}|\\\\)|\\[\\d{1,3}(?:;\\d{1,3})*m(?!\\])`,
  'g',
);
/** A line break that was written out, as JSON does. */
const WRITTEN = /\\n/g;
/** Where folders are divided by backslashes, one that begins with n is no line break. */
const WINDOWS = /\b[A-Za-z]:\\/;
const NUMBERED = /^(…?\s*)(\d{1,6})(?:→|\t)/;
const FENCE = /^\s*```/;

/** Lines that a program wrote although a person's or a model's words stand around them. */
const WRITTEN_BY_PROGRAMS = [
  // A log: a moment, or a time of day, at the beginning.
  /^\s*\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d/,
  /^\s*\[?\d\d:\d\d:\d\d[\].,\s]/,
  // A stack trace.
  /^\s*(?:at \S+ \(|File ".+", line \d+|Traceback \(most recent)/,
  // A difference, and a command.
  /^(?:@@ -\d|diff --git |\+\+\+ [ab]\/|--- [ab]\/)/,
  /^\s*(?:\$|>>>) \S/,
  // A path alone, with or without its line.
  /^\s*(?:~|\.{0,2})(?:\/[\w.@+-]+){2,}(?::\d+)*\s*$/,
  // JSON, member by member.
  /^\s*[{[]\s*$|^\s*[}\]]+[,;]?\s*$|^\s*"[^"]+"\s*:\s*\S/,
  // Indented code; an item of a list is none.
  /^(?: {4}|\t)\s*(?![-*+] |\d+[.)] )\S/,
];

/** Whether a line is code, a log, a path or JSON by its shape alone. */
function isOutput(line: string): boolean {
  return WRITTEN_BY_PROGRAMS.some((shape) => shape.test(line)) || isJson(line);
}

/** Whether a line is an object or a list in JSON, long enough that it is meant as one. */
function isJson(line: string): boolean {
  const text = line.trim();
  if (!/^[[{].*[\]}]$/.test(text) || text.length < 20) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Every unit of the text with whether it is marked, without codes of a terminal. */
function cells(text: string, marks: readonly HighlightView[]): Cell[] {
  const marked = new Uint8Array(text.length);
  for (const { start, end } of marks) marked.fill(1, start, Math.max(start, end));
  const gone = new Uint8Array(text.length);
  for (const found of text.matchAll(CODES))
    gone.fill(1, found.index, found.index + found[0].length);
  const written = WINDOWS.test(text) ? [] : [...text.matchAll(WRITTEN)];
  const breaks = new Set(written.map((found) => found.index));
  const out: Cell[] = [];
  for (let at = 0; at < text.length; at++) {
    if (gone[at]) continue;
    if (breaks.has(at)) {
      out.push({ text: '\n', marked: false });
      at += 1;
    } else if (text[at] !== '\r') {
      out.push({ text: text[at] as string, marked: marked[at] === 1 });
    }
  }
  return out;
}

const textOf = (line: readonly Cell[]) => line.map((cell) => cell.text).join('');

/** The same line without marks of Markdown, what they meant kept as a look. */
function unmarked(line: Cell[]): Cell[] {
  const heading = /^\s*#{1,6} /.exec(textOf(line));
  const cut = heading ? line.slice(heading[0].length) : line;
  const text = textOf(cut);
  const looks: Array<{ from: number; to: number; marks: number; look: 'strong' | 'code' }> = [];
  for (const found of text.matchAll(/`([^`\n]+)`/g)) {
    looks.push({ from: found.index, to: found.index + found[0].length, marks: 1, look: 'code' });
  }
  for (const found of text.matchAll(/\*\*(?=\S)(.+?)(?<=\S)\*\*/g)) {
    looks.push({ from: found.index, to: found.index + found[0].length, marks: 2, look: 'strong' });
  }
  return cut.flatMap((cell, at) => {
    const around = looks.filter(({ from, to }) => at >= from && at < to);
    const isMark = around.some(({ from, to, marks }) => at < from + marks || at >= to - marks);
    if (isMark) return [];
    return {
      ...cell,
      strong: heading !== null || around.some(({ look }) => look === 'strong'),
      code: around.some(({ look }) => look === 'code'),
    };
  });
}

function spansOf(line: readonly Cell[]): Span[] {
  const spans: Span[] = [];
  for (const { text, marked, strong = false, code = false } of line) {
    const last = spans.at(-1);
    if (last && last.marked === marked && last.strong === strong && last.code === code) {
      last.text += text;
    } else spans.push({ text, marked, strong, code });
  }
  return spans;
}

/** JSON in one line is broken at its members, so that it can be read. */
function broken(line: Cell[]): Cell[][] {
  const text = textOf(line).trim();
  if (!/^[[{]/.test(text) || text.length < 60) return [line];
  try {
    JSON.parse(text);
  } catch {
    return [line];
  }
  const out: Cell[][] = [[]];
  let depth = 0;
  let quoted = false;
  const next = () =>
    out.push(Array.from({ length: 2 * depth }, () => ({ text: ' ', marked: false })));
  line.forEach((cell, at) => {
    const open = cell.text === '{' || cell.text === '[';
    const close = cell.text === '}' || cell.text === ']';
    if (cell.text === '"' && line[at - 1]?.text !== '\\') quoted = !quoted;
    if (!quoted && close) {
      depth -= 1;
      next();
    }
    out.at(-1)?.push(cell);
    if (!quoted && open) depth += 1;
    if (!quoted && (open || cell.text === ',')) next();
  });
  return out;
}

/** All lines of a text. `code` says that its writer was a program. */
export function passage(
  text: string,
  marks: readonly HighlightView[],
  code = false,
): PassageLine[] {
  const lines: Cell[][] = [[]];
  for (const cell of cells(text, marks)) {
    if (cell.text === '\n') lines.push([]);
    else lines.at(-1)?.push(cell);
  }
  let fenced = false;
  return lines.flatMap((line): PassageLine[] => {
    const plain = textOf(line);
    if (FENCE.test(plain)) {
      fenced = !fenced;
      return [];
    }
    const numbered = NUMBERED.exec(plain);
    if (numbered) {
      const spans = spansOf(line.slice(numbered[0].length));
      return [{ number: numbered[2] as string, code: true, spans }];
    }
    if (code || fenced || isOutput(plain)) {
      return broken(line).map((part) => ({ number: null, code: true, spans: spansOf(part) }));
    }
    return [{ number: null, code: false, spans: spansOf(unmarked(line)) }];
  });
}

/** The lines that a list shows: no empty ones, and none long before the first mark. */
export function excerpt(lines: readonly PassageLine[]): PassageLine[] {
  const filled = lines.filter((line) => line.spans.some((span) => span.text.trim() !== ''));
  const first = filled.findIndex((line) => line.spans.some((span) => span.marked));
  return filled.slice(Math.max(0, first - 1));
}

/** Whether what a memory holds was written by a program. */
export const isProgram = (kind: string): boolean =>
  kind === 'tool_call' || kind === 'tool_result' || kind === 'event';
