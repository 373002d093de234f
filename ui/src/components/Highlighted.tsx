import { memo, type ReactNode } from 'react';
import type { HighlightView } from '../ipc/bindings';

/**
 * Text with marked pieces. Offsets count UTF-16 units, like JavaScript's own strings. Everything
 * ends up as text nodes: memory text is hostile and never becomes markup.
 */
export const Highlighted = memo(function Highlighted(props: {
  text: string;
  marks: readonly HighlightView[];
}) {
  const { text, marks } = props;
  const pieces: ReactNode[] = [];
  let at = 0;
  for (const { start, end } of marks) {
    if (start < at || end <= start || end > text.length) continue;
    pieces.push(text.slice(at, start), <mark key={start}>{text.slice(start, end)}</mark>);
    at = end;
  }
  pieces.push(text.slice(at));
  return <>{pieces}</>;
});
