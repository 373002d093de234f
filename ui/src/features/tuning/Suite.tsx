/** A regression suite: queries and what must be among their first results. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../components/Button';
import { sentenceOf } from '../../components/failure';
import { TextField } from '../../components/fields';
import { backend } from '../../ipc/backend';
import type { Constants, GoldenQueryView, SuiteView } from '../../ipc/bindings';
import { useGoldenQueries } from '../../ipc/golden';
import { xray } from '../../locales/en/xray';
import { useXray } from '../xray/store';
import css from './Lab.module.css';
import { TextFile } from './TextFile';
import tables from './TuningSection.module.css';

const t = xray.suite;

/** Within how many results a suite made of golden queries wants the best judged memories. */
const TOP = 5;

/** A suite out of the judgements: the best judged memories of each query must be found. */
export function suiteOf(golden: readonly GoldenQueryView[]): string {
  const queries = golden.flatMap(({ text, mode, grades }) => {
    const best = Math.max(0, ...Object.values(grades));
    if (best === 0) return [];
    const expect = Object.keys(grades).filter((id) => grades[id] === best);
    return [{ query: text, mode, expect, top: Math.max(TOP, expect.length) }];
  });
  return JSON.stringify({ queries }, null, 2);
}

export function Suite({ preset }: { preset: Constants }) {
  const { constants, now } = useXray('constants', 'now');
  const golden = useGoldenQueries();
  const [text, setText] = useState('');
  const run = useMutation({
    mutationFn: () => backend().runSuite({ suite: text, constants: constants ?? preset, now }),
  });
  const relevant = (golden.data ?? []).some((one) =>
    Object.values(one.grades).some((grade) => grade > 0),
  );
  return (
    <div className={css.column}>
      <TextField label={t.text} value={text} onChange={setText} rows={6} />
      <div className={css.controls}>
        <Button
          isDisabled={text.trim() === ''}
          isPending={run.isPending}
          onPress={() => run.mutate()}
        >
          {t.run}
        </Button>
        <Button
          variant="quiet"
          isDisabled={!relevant}
          onPress={() => setText(suiteOf(golden.data ?? []))}
        >
          {t.fill}
        </Button>
        <TextFile label={t.file} onText={setText} />
      </div>
      <div role="status" className={css.said}>
        {run.isPending ? <p>{t.running}</p> : null}
        {run.error ? <p data-bad>{sentenceOf(run.error)}</p> : null}
        {run.data ? (
          <p className={css.finding} data-verdict={run.data.passed ? 'better' : 'worse'}>
            <strong>
              {run.data.passed
                ? t.passed(run.data.cases.length)
                : t.failed(run.data.failures, run.data.cases.length)}
            </strong>
          </p>
        ) : null}
      </div>
      {run.data ? <Cases view={run.data} /> : null}
    </div>
  );
}

function Cases({ view }: { view: SuiteView }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard.
    <section className={tables.scroll} tabIndex={0} aria-label={t.results}>
      <table className={`${tables.table} ${css.cases}`}>
        <thead>
          <tr>
            <th scope="col">{xray.golden.query}</th>
            <th scope="col">{t.outcome}</th>
            <th scope="col">{t.top}</th>
            <th scope="col">{t.expected}</th>
          </tr>
        </thead>
        <tbody>
          {view.cases.map((one, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a suite may ask the same twice.
            <tr key={index} data-failed={!one.passed || undefined}>
              <th scope="row">{one.query}</th>
              <td>
                <span aria-hidden="true">{one.passed ? '✓' : '✕'}</span> {one.passed ? t.ok : t.no}
              </td>
              <td>{one.top}</td>
              <td>
                {one.expected
                  .map((met) =>
                    met.rank === null ? t.missing(met.expect) : t.at(met.expect, met.rank),
                  )
                  .join(', ')}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
