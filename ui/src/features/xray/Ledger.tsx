/**
 * Why the legs of words gave a memory its score: the keyword leg's term by term, reconciled with
 * SQLite's own sum, and the sparse leg's shared words.
 */
import { useQuery } from '@tanstack/react-query';
import { CopyNumber } from '../../components/CopyNumber';
import { backend } from '../../ipc/backend';
import type { LedgerView, Trace } from '../../ipc/bindings';
import { keys } from '../../ipc/keys';
import { count, exact, score } from '../../locales/en/format';
import { named, xray } from '../../locales/en/xray';
import { itemOf, ranIn } from '../../trace/model';
import { Agreement, SumRow } from './LedgerSum';
import css from './MemoryPanel.module.css';
import { SharedWords } from './SharedWords';

const t = xray.memory;

export function Ledger({ recall, trace, id }: { recall: string; trace: Trace; id: string }) {
  const hasTerms = itemOf(trace, 'bm25', id) !== undefined;
  const hasShared = ranIn(trace, 'sparse');
  const ledger = useQuery({
    // A weight that leaves 0 makes the sparse leg run, and only then it knows what is shared.
    queryKey: keys.ledger(recall, id, hasShared),
    queryFn: () => backend().ledger(recall, id),
    enabled: hasTerms || hasShared,
    retry: false,
  });
  if (!ledger.data) return null;
  return (
    <>
      {hasTerms ? (
        <section className={css.section}>
          <h3>{t.ledger}</h3>
          {ledger.data.terms.length === 0 ? (
            <p className={css.hint}>{t.ledgerOff}</p>
          ) : (
            <Terms ledger={ledger.data} />
          )}
        </section>
      ) : null}
      {hasShared ? (
        <SharedWords
          words={ledger.data.shared_words}
          engine={itemOf(trace, 'sparse', id)?.score ?? null}
        />
      ) : null}
    </>
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
        <SumRow before={5} sum={ledger.sum} />
      </table>
      <Agreement agrees={agrees} yes={t.reconciles} no={t.reconcilesNot} nothing={t.noEngine} />
    </>
  );
}
