/** The invented core's near duplicates: texts that begin alike. */
import type { DuplicatesView, MemoryView, PairsView } from '../bindings';
import type { Store } from './store';

/** The share of words that two texts have in common stands for their cosine. */
function nearness(a: MemoryView, b: MemoryView): number {
  const [left, right] = [a, b].map(({ content }) => new Set(content.toLowerCase().split(/\W+/)));
  if (!left || !right) return 0;
  const shared = [...left].filter((word) => right.has(word)).length;
  return 0.5 + (0.5 * shared) / Math.max(left.size, right.size, 1);
}

export class NearDuplicates {
  #kept = new Set<string>();
  #from = 0.95;

  constructor(private readonly store: Store) {}

  #pairs() {
    const living = this.store.living().slice(0, 60);
    return living.flatMap((newer, at) =>
      living
        .slice(0, at)
        .filter((older) => older.card.agent === newer.card.agent)
        .map((older) => ({ older, newer, similarity: nearness(older, newer) }))
        .filter(({ similarity }) => similarity >= 0.8)
        .filter(({ older }) => !this.#kept.has(`${older.card.id} ${newer.card.id}`)),
    );
  }

  view(asked: number | null): DuplicatesView {
    const at = asked ?? this.#from;
    const all = this.#pairs();
    const digits = ({ content }: MemoryView) => content.replace(/\D+/g, ' ').trim();
    const alike = all.filter(({ older, newer }) => digits(older) === digits(newer));
    const apart = all.filter((pair) => !alike.includes(pair) && pair.similarity >= at);
    const groups = alike.filter(({ similarity }) => similarity >= at);
    return {
      in_force: this.#from,
      at,
      compared: this.store.living().length,
      of: this.store.living().length,
      joined: Array.from({ length: 21 }, (_, step) => {
        const value = Math.round(80 + step) / 100;
        const joined = alike.filter(({ similarity }) => similarity >= value);
        return { at: value, pairs: joined.length };
      }),
      groups: groups.slice(0, 50).map(({ older, newer, similarity }) => ({
        cards: [older.card, newer.card],
        count: 2,
        similarity,
      })),
      group_count: groups.length,
      contradictions: apart.slice(0, 50).map(({ older, newer, similarity }) => ({
        ...{ older: older.card, newer: newer.card, similarity },
        apart: 'number',
      })),
      contradiction_count: apart.length,
      kept: this.#kept.size,
    };
  }

  moveTo(at: number): DuplicatesView {
    this.#from = at;
    return this.view(null);
  }

  keep(ids: readonly string[], apart: boolean): PairsView {
    let pairs = 0;
    for (const [at, a] of ids.entries()) {
      for (const b of ids.slice(at + 1)) {
        for (const name of [`${a} ${b}`, `${b} ${a}`]) {
          if (apart) this.#kept.add(name);
          else this.#kept.delete(name);
        }
        pairs += 1;
      }
    }
    return { pairs };
  }
}
