/** The real backend: the generated commands, with answers unwrapped. */
import { open, save } from '@tauri-apps/plugin-dialog';
import type { Asked, Backend } from './backend';
import { EdgeFailure } from './backend';
import type { EdgeError } from './bindings';
import { commands, events } from './bindings';

type Answer = { status: 'ok'; data: unknown } | { status: 'error'; error: EdgeError };
type Command = (...args: never[]) => Promise<Answer>;

/** Turns a panic, a refused call or a lost bridge into the one error the window knows. */
function internal(): EdgeError {
  return { code: 'internal', args: {}, retryable: false, trace_id: '' };
}

function unwrapped(command: Command): (...args: never[]) => Promise<unknown> {
  return async (...args) => {
    let answer: Answer;
    try {
      answer = await command(...args);
    } catch {
      throw new EdgeFailure(internal());
    }
    if (answer.status === 'error') {
      const edge = answer.error;
      // A refused call rejects with a bare string; the window must not choke on it.
      throw new EdgeFailure(edge && typeof edge === 'object' && 'code' in edge ? edge : internal());
    }
    return answer.data;
  };
}

/** Talks to the core through Tauri. */
export function tauriBackend(): Backend {
  const all = Object.fromEntries(
    Object.entries(commands).map(([name, command]) => [name, unwrapped(command as Command)]),
  ) as unknown as Asked;
  return {
    ...all,
    onNotice(callback) {
      const listening = events.noticeEvent.listen((event) => callback(event.payload));
      return () => {
        void listening.then((stop) => stop());
      };
    },
    async pickFolder(title) {
      const picked = await open({ directory: true, multiple: false, title });
      return typeof picked === 'string' ? picked : null;
    },
    async pickFile(title) {
      const picked = await open({ directory: false, multiple: false, title });
      return typeof picked === 'string' ? picked : null;
    },
    pickPlace(title, name) {
      // The proposed name says what kind of file it is to be.
      const ending = name.slice(name.lastIndexOf('.') + 1);
      const filters = [{ name: ending.toUpperCase(), extensions: [ending] }];
      return save({ title, defaultPath: name, filters });
    },
  };
}
