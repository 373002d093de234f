/** Bytes as people look at them: sixteen to a line, and the letters that they would be. */

const PER_LINE = 16;

export interface ByteLine {
  /** Two hexadecimal digits per byte. */
  hex: string;
  /** A letter for each byte that is one, a dot for the others. */
  letters: string;
}

/** The lines of some bytes, given as hexadecimal digits. */
export function byteLines(head: string): ByteLine[] {
  const bytes = head.match(/../g) ?? [];
  const lines: ByteLine[] = [];
  for (let from = 0; from < bytes.length; from += PER_LINE) {
    const line = bytes.slice(from, from + PER_LINE);
    lines.push({ hex: line.join(' '), letters: line.map(letter).join('') });
  }
  return lines;
}

function letter(byte: string): string {
  const code = Number.parseInt(byte, 16);
  return code > 0x20 && code < 0x7f ? String.fromCharCode(code) : '·';
}
