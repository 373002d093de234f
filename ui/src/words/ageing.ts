/** Half-lives per kind, as the core writes them: "tool_result:3,fact:evergreen". */

import { KINDS } from '../ipc/bindings';

export type Kind = (typeof KINDS)[number];

/** A kind ages by a half-life of its own in days, or not at all. */
export type Ageing = number | 'evergreen';

/** The shortest and the longest half-life, in days. */
export const HALF_LIFE = { min: 0.1, max: 3650 } as const;

const ENTRY = /^\s*(\w+)\s*:\s*(evergreen|[\d.]+)\s*$/;

/** The kinds that differ; what cannot be read is left out, since the core writes it. */
export function read(text: string): Map<Kind, Ageing> {
  const found = new Map<Kind, Ageing>();
  for (const entry of text.split(',')) {
    const [, name, ageing] = ENTRY.exec(entry) ?? [];
    const kind = KINDS.find((one) => one === name);
    if (kind && ageing) found.set(kind, ageing === 'evergreen' ? ageing : Number(ageing));
  }
  return found;
}

/** The one spelling of a set of rules. */
export function write(rules: ReadonlyMap<Kind, Ageing>): string {
  return KINDS.flatMap((kind) => {
    const ageing = rules.get(kind);
    return ageing === undefined ? [] : [`${kind}:${ageing}`];
  }).join(',');
}

/** The same rules with another one for a kind; `null` lets it age like everything else. */
export function withRule(text: string, kind: Kind, ageing: Ageing | null): string {
  const rules = read(text);
  if (ageing === null) rules.delete(kind);
  else rules.set(kind, ageing);
  return write(rules);
}

/** Days as typed; `null` when they are no half-life. */
export function days(text: string): number | null {
  const value = Number(text.trim().replace(',', '.'));
  return text.trim() !== '' && value >= HALF_LIFE.min && value <= HALF_LIFE.max ? value : null;
}
