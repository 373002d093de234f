/**
 * Memories that came in while a query stands: which of them would be among its results.
 *
 * The core is asked at most once a second, and only while something is waiting; a memory that would
 * not come up is never mentioned.
 */
import type { Backend } from '../../ipc/backend';
import type { Constants } from '../../ipc/bindings';

/** How long new lines gather before the core is asked. */
export const GATHER_MS = 1000;

interface Standing {
  recall: string;
  constants: Constants;
}

/** New memories that are kept in mind; older ones of a flood are as good as known. */
const KEPT = 500;

export class Arrivals {
  private ids: string[] = [];
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor(
    private readonly port: Pick<Backend, 'arrivals'>,
    private readonly changed: (entering: number) => void,
  ) {}

  /** These came in. `standing` says what stands when the core is asked. */
  note(ids: readonly string[], standing: () => Standing | null): void {
    this.ids = [...new Set([...this.ids, ...ids])].slice(-KEPT);
    this.look(standing);
  }

  /** Looks again: a memory is found by its words first and by its meaning once it is embedded. */
  look(standing: () => Standing | null): void {
    if (this.ids.length === 0 || this.timer !== null) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      void this.ask(standing());
    }, GATHER_MS);
  }

  /** The query was asked again, or another one was. */
  forget(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.ids = [];
  }

  private async ask(standing: Standing | null): Promise<void> {
    const asked = this.ids;
    if (!standing || asked.length === 0) return;
    try {
      const { entering } = await this.port.arrivals({ ...standing, ids: asked });
      // An answer about a query that no longer stands says nothing.
      if (this.ids.length > 0 && this.ids[0] === asked[0]) this.changed(entering.length);
    } catch {
      // The next line, or the person, asks again.
    }
  }
}
