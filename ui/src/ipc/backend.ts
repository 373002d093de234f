/**
 * What the window can ask of the core, and the one place that knows who answers.
 *
 * The real backend talks to Tauri; tests and `vite --mode fake` put an in-memory one in its place.
 */
import type { commands, EdgeError, Notice } from './bindings';

type Commands = typeof commands;

/** What a command answers when it went well. */
type Answered<C> = C extends (...args: never[]) => Promise<infer A>
  ? Extract<A, { status: 'ok' }> extends { data: infer D }
    ? D
    : never
  : never;

/** One function per command of the core, taking what the command takes. */
export type Asked = {
  [Name in keyof Commands]: (
    ...args: Parameters<Commands[Name]>
  ) => Promise<Answered<Commands[Name]>>;
};

/** Every promise rejects with {@link EdgeFailure} and nothing else. */
export interface Backend extends Asked {
  /** Calls back for every notice; the answer stops it. */
  onNotice(callback: (notice: Notice) => void): () => void;
  /** Asks the person for a folder in the system's own dialog; null when they changed their mind. */
  pickFolder(title: string): Promise<string | null>;
  /** Asks for a file in the same way. */
  pickFile(title: string): Promise<string | null>;
  /** Asks for the place of a new file in the same way; `name` is the proposal. */
  pickPlace(title: string, name: string): Promise<string | null>;
}

/** The core's error as something that can be thrown. Its sentence comes from the catalogue. */
export class EdgeFailure extends Error {
  readonly edge: EdgeError;

  constructor(edge: EdgeError) {
    super(edge.code);
    this.name = 'EdgeFailure';
    this.edge = edge;
  }
}

let current: Backend | null = null;

/** Chooses who answers; called once before the first paint, and by tests. */
export function setBackend(next: Backend): void {
  current = next;
}

/** Who answers. */
export function backend(): Backend {
  if (current === null) throw new Error('setBackend() was not called');
  return current;
}
