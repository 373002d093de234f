/** Why the keyword leg gave a memory its score, term by term, reconciled with SQLite's own sum. */
import { useQuery } from '@tanstack/react-query';
import { CopyNumber } from '../../components/CopyNumber';
import { backend } from '../../ipc/backend';
import type { LedgerView } from '../../ipc/bindings';
import { keys } from '../../ipc/keys';
import { count, exact, score } from '../../locales/en/format';
import { named, xray } from '../../locales/en/xray';
import css from './MemoryPanel.module.css';

const t = xray.memory;

export function Ledger({ recall, id }: { recall: string; id: string }) {
  const ledger = useQuery({
    queryKey: keys.ledger(recall, id),
    queryFn: () => backend().ledger(recall, id),
    retry: false,
  });
  if (!ledger.data) return null;
  return (
    <section className={css.section}>
      <h3>{t.ledger}</h3>
      {ledger.data.terms.length === 0 ? (
        <p className={css.hint}>{t.ledgerOff}</p>
      ) : (
        <Terms ledger={ledger.data} />
      )}
    </section>
  );
}

function Terms({ ledger }: { ledger: LedgerView }) {
  const agrees = ledger.engine === null ? null : ledger.reconciles;
  return (
    <>
      <table className={css.table}>
        <caption className="visually-hidden">{t.ledger}</caption>
        <thead>
          <tr>
            <th scope="col">{t.term}</th>
            <th scope="col" title={t.dfHelp}>
              {t.df}
            </th>
            <th scope="col" title={t.idfHelp}>
              {t.idf}
            </th>
            <th scope="col" title={t.tfHelp}>
              {t.tf}
            </th>
            <th scope="col" title={t.normHelp}>
              {t.norm}
            </th>
            <th scope="col">{t.part}</th>
          </tr>
        </thead>
        <tbody>
          {ledger.terms.map((term, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the same term may stand in two indexes.
            <tr key={index}>
              <th scope="row">
                <code>{term.term}</code>
                {term.index === 'word' ? null : (
                  <small> {named(xray.route.indexes, term.index)}</small>
                )}
              </th>
              {term.document_frequency === 0 ? (
                <td colSpan={5} className={css.nothing}>
                  {t.nothing}
                </td>
              ) : (
                <>
                  <td>{count(term.document_frequency)}</td>
                  <td title={exact(term.idf)}>{score(term.idf)}</td>
                  <td>{score(term.term_frequency)}</td>
                  <td title={exact(term.length_norm)}>{score(term.length_norm)}</td>
                  <td>
                    <CopyNumber
                      shown={score(term.contribution)}
                      exact={exact(term.contribution)}
                      label={term.term}
                    />
                  </td>
                </>
              )}
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" colSpan={5}>
              {t.sum}
            </th>
            <td>
              <CopyNumber shown={score(ledger.sum)} exact={exact(ledger.sum)} label={t.sum} />
            </td>
          </tr>
        </tfoot>
      </table>
      <p className={agrees === null ? css.hint : css.check} data-ok={agrees || undefined}>
        {agrees === null
          ? t.noEngine
          : `${agrees ? '✓' : '✕'} ${agrees ? t.reconciles : t.reconcilesNot}`}
      </p>
    </>
  );
}
