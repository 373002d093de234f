/** Where each term of the query went, and why. */

import type { RoutedTerm } from '../../ipc/bindings';
import { count } from '../../locales/en/format';
import { xray } from '../../locales/en/xray';
import css from './RouteTerms.module.css';

const t = xray.route;

export function RouteTerms({ terms }: { terms: readonly RoutedTerm[] }) {
  return (
    <table className={css.table}>
      <caption className="visually-hidden">{t.table}</caption>
      <thead>
        <tr>
          <th scope="col">{t.term}</th>
          <th scope="col">{t.kind}</th>
          <th scope="col">{t.routes}</th>
          <th scope="col" className={css.number}>
            {t.matched}
          </th>
          <th scope="col">{t.why}</th>
        </tr>
      </thead>
      <tbody>
        {terms.map((term, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a query may hold the same term twice; the place is its name.
          <tr key={index} data-ignored={term.routes.includes('ignored') || undefined}>
            <th scope="row">
              <code>{term.text}</code>
            </th>
            <td>
              {t.termKinds[term.kind]}
              {term.required ? <em>{t.required}</em> : null}
              {term.excluded ? <em>{t.excluded}</em> : null}
            </td>
            <td>{term.routes.map((route) => t.indexes[route]).join(', ')}</td>
            <td className={css.number}>{term.matched === null ? '–' : count(term.matched)}</td>
            <td className={css.why}>{term.why}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
