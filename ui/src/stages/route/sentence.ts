import type { RoutedTerm } from '../../ipc/bindings';
import { xray } from '../../locales/en/xray';
import type { StageContext } from '../context';

const t = xray.route;
const INDEXES = ['word', 'trigram', 'substring', 'ignored'] as const;

/** The term that made the query what it is: the first that is more than a plain word. */
function telling(terms: readonly RoutedTerm[]): RoutedTerm | undefined {
  return terms.find((term) => term.kind !== 'word' && term.kind !== 'stop_word');
}

/** What the query is, and how many terms went to which index. */
export function routeSentence({ trace }: StageContext): string {
  if (trace.query_kind === 'blank') return t.blank;
  const kind = t.kinds[trace.query_kind];
  const term = trace.query_kind === 'conceptual' ? undefined : telling(trace.terms);
  const first = term ? t.named(term.text, kind) : t.query(kind);
  const rest = INDEXES.flatMap((index) => {
    const n = trace.terms.filter((entry) => entry.routes.includes(index)).length;
    return n > 0 ? [t.to(index, n)] : [];
  });
  if (trace.mode === 'auto') rest.push(t.ran(trace.effective_mode));
  return t.join(first, rest);
}
