/** Why this memory stands above or below another result: signed differences, and where they swap. */
import { useState } from 'react';
import { ChipSelect } from '../../components/Chip';
import type { Trace } from '../../ipc/bindings';
import { exact, listed, score, signed, title } from '../../locales/en/format';
import { named, xray } from '../../locales/en/xray';
import { shown } from '../../words/constants';
import css from './MemoryPanel.module.css';
import { differences, swaps } from './neighbours';
import { useXray } from './store';

const t = xray.memory;

export function Neighbours({ trace, id }: { trace: Trace; id: string }) {
  const { cards } = useXray('cards');
  const place = trace.results.indexOf(id);
  const nearest = trace.results[place - 1] ?? trace.results[place + 1];
  const [picked, setPicked] = useState<string | null>(null);
  const other =
    picked !== null && picked !== id && trace.results.includes(picked) ? picked : nearest;
  if (other === undefined) return null;
  const rank = trace.results.indexOf(other) + 1;
  const isAbove = place + 1 < rank;
  const nameOf = (one: string) => title(cards[one]?.snippet ?? one);
  return (
    <section className={css.section}>
      <h3>{t.neighbours}</h3>
      <div className={css.versus}>
        <ChipSelect
          label={isAbove ? t.above : t.below}
          value={other}
          choices={trace.results.flatMap((one, index) =>
            one === id
              ? []
              : [{ id: one, label: t.rank(index + 1), hint: nameOf(one).slice(0, 90) }],
          )}
          onChange={setPicked}
        />
        <p>{nameOf(other)}</p>
      </div>
      <table className={css.table}>
        <caption className="visually-hidden">{t.neighbours}</caption>
        <thead>
          <tr>
            <th scope="col">{t.step}</th>
            <th scope="col">{t.mine}</th>
            <th scope="col">{t.other}</th>
            <th scope="col">{t.difference}</th>
          </tr>
        </thead>
        <tbody>
          {differences(trace, id, other).map((row) => (
            <tr key={row.component}>
              <th scope="row">{t.components[row.component]}</th>
              <td title={exact(row.mine)}>{score(row.mine)}</td>
              <td title={exact(row.other)}>{score(row.other)}</td>
              <td
                className={row.delta > 0 ? css.for : row.delta < 0 ? css.against : undefined}
                title={exact(row.delta)}
              >
                {signed(row.delta)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Swaps trace={trace} id={id} other={other} />
    </section>
  );
}

function Swaps({ trace, id, other }: { trace: Trace; id: string; other: string }) {
  const found = swaps(trace, id, other);
  const able = found.filter((swap) => swap.at !== null);
  const unable = found.filter((swap) => swap.at === null);
  const name = (constant: string) => named(xray.sliders.names, constant);
  return (
    <>
      {able.map((swap) => (
        <p key={swap.constant} className={css.hint}>
          {t.swapAt(name(swap.constant), shown(swap.constant, swap.at ?? 0))}
        </p>
      ))}
      {able.length === 0 && unable.length > 0 ? (
        <p className={css.hint}>{t.swapNever(listed(unable.map((swap) => name(swap.constant))))}</p>
      ) : null}
    </>
  );
}
