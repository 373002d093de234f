/** The invented vault: a list, a trash and an undo stack. */
import type {
  AddedView,
  AddRequest,
  EditRequest,
  FacetsView,
  FilterRequest,
  HighlightView,
  ListRequest,
  MemoryCard,
  MemoryView,
  MergeDraftView,
  MergeRequest,
  PageView,
} from '../bindings';
import { written } from './memories';

interface Step {
  what: string;
  back: () => void;
}

/** Holds the invented memories and does to them what the real vault does. */
export class Store {
  private memories: MemoryView[];
  private readonly steps: Step[] = [];
  private last: number;

  constructor(
    memories: MemoryView[],
    private readonly now: number,
  ) {
    this.memories = memories;
    this.last = memories.length;
  }

  clear(): void {
    this.memories = [];
  }

  nextId(): string {
    this.last += 1;
    return `m${this.last}`;
  }

  add(memory: MemoryView): void {
    this.memories.push(memory);
  }

  living(): MemoryView[] {
    return this.memories.filter((one) => one.deleted_at === null && !one.expired);
  }

  expired(): MemoryView[] {
    return this.memories.filter((one) => one.deleted_at === null && one.expired);
  }

  trashed(): MemoryView[] {
    return this.memories.filter((one) => one.deleted_at !== null);
  }

  get(id: string): MemoryView | undefined {
    return this.memories.find((one) => one.card.id === id);
  }

  undoable(): string | null {
    return this.steps.at(-1)?.what ?? null;
  }

  filtered(filter: FilterRequest, of = this.living()): MemoryView[] {
    const any = (wanted: string[] | undefined, value: string) =>
      !wanted?.length || wanted.includes(value);
    return of.filter(
      ({ card, path }) =>
        any(filter.agents, card.agent) &&
        any(filter.roles, card.role) &&
        any(filter.kinds, card.kind) &&
        (filter.tags ?? []).every((tag) => card.tags.includes(tag)) &&
        (!filter.source || (path ?? '').includes(filter.source)) &&
        (!filter.org || card.org === filter.org) &&
        (!filter.session || card.session === filter.session) &&
        (!filter.after || (card.created_at ?? '') >= filter.after) &&
        (!filter.before || (card.created_at ?? '') < filter.before),
    );
  }

  page(request: ListRequest): PageView {
    const needle = request.contains?.toLowerCase() ?? '';
    const view = request.trash ? this.trashed() : request.expired ? this.expired() : this.living();
    const found = this.filtered(request.filter ?? {}, view).filter(
      (one) =>
        one.content.toLowerCase().includes(needle) &&
        (!request.only || request.only.includes(one.card.id)),
    );
    const time = (one: MemoryView) => one.card.created_at ?? '';
    const compare: Record<string, (a: MemoryView, b: MemoryView) => number> = {
      newest: (a, b) => time(b).localeCompare(time(a)),
      oldest: (a, b) => time(a).localeCompare(time(b)),
      last_stored: (a, b) => Number(b.card.id.slice(1)) - Number(a.card.id.slice(1)),
      longest: (a, b) => b.card.length - a.card.length,
      most_seen: (a, b) => b.card.seen_count - a.card.seen_count,
    };
    const sorted = [...found].sort(compare[request.sort ?? 'newest']);
    const start = request.offset ?? 0;
    const cards = sorted
      .slice(start, start + (request.limit ?? 100))
      .map((one) => this.card(one.card.id, needle ? [needle] : []));
    return { total: sorted.length, cards };
  }

  card(id: string, marked: string[]): MemoryCard {
    const card = this.get(id)?.card as MemoryCard;
    return { ...card, highlights: this.marks(card.snippet, marked) };
  }

  marks(text: string, wanted: string[]): HighlightView[] {
    const lower = text.toLowerCase();
    const found: HighlightView[] = [];
    for (const word of wanted) {
      for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + word.length)) {
        found.push({ start: at, end: at + word.length });
      }
    }
    return found
      .sort((a, b) => a.start - b.start)
      .filter((one, index) => one.start >= (found[index - 1]?.end ?? 0));
  }

  facets(): FacetsView {
    const living = this.living();
    const counted = (values: (one: MemoryView) => string[]) => {
      const counts = new Map<string, number>();
      for (const value of living.flatMap(values)) counts.set(value, (counts.get(value) ?? 0) + 1);
      return [...counts]
        .map(([value, count]) => ({ value, count }))
        .sort((a, b) => b.count - a.count);
    };
    const times = living.map((one) => one.card.created_at ?? '').sort();
    return {
      agents: counted((one) => [one.card.agent]),
      roles: counted((one) => [one.card.role]),
      kinds: counted((one) => [one.card.kind]),
      sources: counted((one) => [one.path ?? '']),
      tags: counted((one) => one.card.tags),
      earliest: times[0] ?? null,
      latest: times.at(-1) ?? null,
    };
  }

  /** Stores what a person wrote; what is in it already is said once more. */
  write(request: AddRequest): AddedView {
    const content = request.content ?? '';
    const known = this.living().find((one) => one.content === content);
    if (known) {
      const seen_count = known.card.seen_count + 1;
      this.replace({ ...known, card: { ...known.card, seen_count } });
      this.steps.push({
        what: `adding of what ${known.card.id} says`,
        back: () => this.replace(known),
      });
      return { id: known.card.id, outcome: 'known', secrets_masked: false, flagged: false };
    }
    const memory = written(this.nextId(), request, this.now);
    const { id } = memory.card;
    this.add(memory);
    this.steps.push({
      what: `adding of ${id}`,
      back: () => {
        this.memories = this.memories.filter((one) => one.card.id !== id);
      },
    });
    return { id, outcome: 'stored', secrets_masked: false, flagged: false };
  }

  private expiry(memory: MemoryView, asked: string | null): string | null {
    if (asked === null) return memory.expires_at;
    return asked === 'never' ? null : new Date(asked).toISOString();
  }

  edit(memory: MemoryView, request: EditRequest): MemoryView {
    const before = memory;
    const content = request.content ?? memory.content;
    const changed = content !== memory.content;
    const expires = this.expiry(memory, request.expires ?? null);
    const edited: MemoryView = {
      ...memory,
      content,
      expires_at: expires,
      expired: expires !== null && Date.parse(expires) <= this.now,
      card: {
        ...memory.card,
        snippet: content.slice(0, 240),
        length: content.length,
        tags: request.tags ?? memory.card.tags,
        pinned: request.pinned ?? memory.card.pinned,
        trust: request.approve ? 'approved' : memory.card.trust,
        version: memory.card.version + 1,
      },
      history: changed
        ? [
            {
              version: memory.card.version,
              replaced_at: new Date(this.now).toISOString(),
              content: memory.content,
            },
            ...memory.history,
          ]
        : memory.history,
    };
    this.replace(edited);
    this.steps.push({ what: 'edit of one memory', back: () => this.replace(before) });
    return edited;
  }

  mergeDraft(ids: readonly string[]): MergeDraftView {
    const all = ids.flatMap((id) => this.get(id) ?? []);
    const oldest = all.toSorted((a, b) =>
      (a.card.created_at ?? '9').localeCompare(b.card.created_at ?? '9'),
    );
    return {
      cards: oldest.map((one) => one.card),
      content: [...new Set(oldest.map((one) => one.content))].join('\n\n'),
    };
  }

  /** Undefined when they cannot become one. */
  merge({ members, content }: MergeRequest): MemoryView | undefined {
    const [kept, ...gone] = members.flatMap(({ id }) => this.get(id) ?? []);
    if (!kept || gone.length === 0) return undefined;
    if (gone.some((one) => one.card.agent !== kept.card.agent)) return undefined;
    const tags = [...new Set([kept, ...gone].flatMap((one) => one.card.tags))].sort();
    const joined = this.mergeDraft(members.map(({ id }) => id)).content;
    const merged = this.edit(kept, {
      id: kept.card.id,
      version: null,
      content: content ?? joined,
      tags,
      pinned: [kept, ...gone].some((one) => one.card.pinned),
      approve: null,
      expires: null,
    });
    this.trash(gone.map((one) => one.card.id));
    const steps = this.steps.splice(-2);
    this.steps.push({
      what: `merge of ${members.length} memories into ${kept.card.id}`,
      back: () => {
        for (const step of steps.toReversed()) step.back();
      },
    });
    return merged;
  }

  trash(ids: string[]): number {
    return this.move(ids, new Date(this.now).toISOString(), 'deletion');
  }

  restore(ids: string[]): number {
    return this.move(ids, null, 'restoration');
  }

  purge(ids: string[]): number {
    const before = this.memories.length;
    this.memories = this.memories.filter(
      (one) => one.deleted_at === null || !ids.includes(one.card.id),
    );
    return before - this.memories.length;
  }

  undo(): string | null {
    const step = this.steps.pop();
    step?.back();
    return step?.what ?? null;
  }

  private replace(memory: MemoryView): void {
    this.memories = this.memories.map((one) => (one.card.id === memory.card.id ? memory : one));
  }

  private move(ids: string[], deletedAt: string | null, name: string): number {
    const moved = this.memories.filter(
      (one) => ids.includes(one.card.id) && (one.deleted_at === null) !== (deletedAt === null),
    );
    for (const one of moved) this.replace({ ...one, deleted_at: deletedAt });
    const count = moved.length;
    if (count > 0) {
      this.steps.push({
        what: `${name} of ${count} ${count === 1 ? 'memory' : 'memories'}`,
        back: () => {
          for (const one of moved) this.replace(one);
        },
      });
    }
    return count;
  }
}
