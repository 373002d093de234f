import { xray } from '../../locales/en/xray';
import { gateOf, type StageContext } from '../context';

const t = xray.bm25;
/** A term in this share of all memories says little. */
const COMMON = 0.1;
const SHOWN = 3;

/** Which terms matched how much, rarest first; which are common; which matched nothing. */
export function bm25Sentence({ trace, verdict }: StageContext): string {
  const terms = trace.terms.filter((term) => !term.excluded && !term.routes.includes('ignored'));
  if (terms.length === 0) return t.noTerms;
  const known = terms.filter((term) => term.matched !== null);
  const common = known.filter((term) => (term.matched ?? 0) > trace.searchable * COMMON);
  const telling = known
    .filter((term) => (term.matched ?? 0) > 0 && !common.includes(term))
    .sort((a, b) => (a.matched ?? 0) - (b.matched ?? 0));
  const missing = known.filter((term) => term.matched === 0);
  const parts: string[] = [];
  const gate = gateOf(verdict, 'bm25');
  if (telling.length > 0) {
    parts.push(
      telling
        .slice(0, SHOWN)
        .map((term, index) =>
          index === 0
            ? t.first(term.text, term.matched ?? 0)
            : t.term(term.text, term.matched ?? 0),
        )
        .join(', '),
    );
  }
  if (gate?.verdict === 'ok' && gate.value !== null) parts.push(t.expected(gate.value));
  if (missing.length > 0)
    parts.push(t.nothing(missing.slice(0, SHOWN).map((m) => t.quoted(m.text))));
  if (common.length > 0) parts.push(t.common(common.slice(0, SHOWN).map((m) => t.quoted(m.text))));
  return parts.join('; ') || t.noTerms;
}
