/** Numbers as the X-ray writes them. */

const grouped = new Intl.NumberFormat('en-US');

/** 41872 → "41,872". */
export function count(value: number): string {
  return grouped.format(value);
}

/** 1 → "1st", 12 → "12th". */
export function ordinal(value: number): string {
  const tail = value % 100;
  if (tail >= 11 && tail <= 13) return `${count(value)}th`;
  return `${count(value)}${['th', 'st', 'nd', 'rd'][value % 10] ?? 'th'}`;
}

/** Milliseconds: "0.1 ms", "12.4 ms", "1.2 s", "3 min". */
export function duration(ms: number): string {
  if (ms >= 120_000) return `${Math.round(ms / 60_000)} min`;
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`;
  return `${ms.toFixed(ms >= 100 ? 0 : 1)} ms`;
}

/** A score short enough for a column: three or four significant digits. */
export function score(value: number): string {
  const size = Math.abs(value);
  if (value === 0) return '0';
  if (size >= 100) return value.toFixed(0);
  if (size >= 10) return value.toFixed(1);
  if (size >= 1) return value.toFixed(2);
  if (size >= 0.1) return value.toFixed(3);
  if (size >= 0.001) return value.toFixed(4);
  return value.toExponential(1);
}

/** Every digit of a double. */
export function exact(value: number): string {
  return String(value);
}

/** "+0.0032", "−0.0032" with a true minus. */
export function signed(value: number): string {
  if (value === 0) return '0';
  return `${value > 0 ? '+' : '−'}${score(Math.abs(value))}`;
}

/** Age in days as a person says it: "3 h", "6 d", "4 mo", "2 y". */
export function age(days: number | null): string {
  if (days === null) return '';
  if (days < 1 / 24) return 'now';
  if (days < 1) return `${Math.max(1, Math.round(days * 24))} h`;
  if (days < 100) return `${Math.round(days)} d`;
  if (days < 730) return `${Math.round(days / 30.44)} mo`;
  return `${(days / 365.25).toFixed(1)} y`;
}

/** The day of a moment: "18 Oct", and the year where it is not the clock's. */
export function day(moment: string, clock?: string): string {
  const at = new Date(moment);
  if (Number.isNaN(at.getTime())) return '';
  const year = at.getUTCFullYear() !== new Date(clock ?? Date.now()).getUTCFullYear();
  return new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
    ...(year ? { year: 'numeric' } : {}),
  }).format(at);
}

/** A memory's age by a clock; by the query's own when none is given. */
export function ageAt(
  card: { created_at: string | null; age_days: number | null },
  clock?: string,
): number | null {
  const created = Date.parse(card.created_at ?? '');
  const at = Date.parse(clock ?? '');
  if (Number.isNaN(created) || Number.isNaN(at)) return card.age_days;
  return Math.max(0, (at - created) / 86_400_000);
}

/** The first line of a text, without the white space that logs carry. */
export function title(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** "a", "a and b", "a, b and c". */
export function listed(parts: readonly string[]): string {
  if (parts.length < 2) return parts[0] ?? '';
  return `${parts.slice(0, -1).join(', ')} and ${parts[parts.length - 1]}`;
}
