/** Two traces side by side: what moved, which stages ran differently, and what can explain it. */
import { useMemo, useState } from 'react';
import { Button } from '../../../components/Button';
import { Dialog } from '../../../components/Dialog';
import { duration, title } from '../../../locales/en/format';
import { named, xray } from '../../../locales/en/xray';
import css from './CompareTraces.module.css';
import { type Difference, difference, type MemoryRow, RANKED, type Side } from './difference';

const t = xray.history.difference;

export function CompareTraces({
  sides,
  onClose,
}: {
  sides: { a: Side; b: Side } | null;
  onClose: () => void;
}) {
  return (
    <Dialog title={t.title} isOpen={sides !== null} onClose={onClose} isWide>
      {sides ? <Compared {...sides} /> : null}
    </Dialog>
  );
}

function Compared(given: { a: Side; b: Side }) {
  const [swapped, setSwapped] = useState(false);
  const a = swapped ? given.b : given.a;
  const b = swapped ? given.a : given.b;
  const found = useMemo(() => difference(a.trace, b.trace), [a, b]);
  const nameOf = (id: string) => {
    const card = b.cards[id] ?? a.cards[id];
    return card ? title(card.snippet) : `${id} · ${xray.history.noText}`;
  };
  return (
    <div className={css.compared}>
      <p className={css.title} role="status">
        {found.title}
      </p>
      <div className={css.sides}>
        <span>
          <b>A</b> {a.name}
        </span>
        <span>
          <b>B</b> {b.name}
        </span>
        <Button variant="quiet" onPress={() => setSwapped(!swapped)}>
          {t.swap}
        </Button>
      </div>
      <Rows rows={found.rows} nameOf={nameOf} />
      <Stages found={found} />
      <Settings found={found} />
    </div>
  );
}

/** Keeps a table that is wider than the dialog reachable by keyboard. */
function Scrolled({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section className={css.scrolled} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}

function Rows({ rows, nameOf }: { rows: MemoryRow[]; nameOf: (id: string) => string }) {
  if (rows.length === 0) return null;
  return (
    <Scrolled label={t.results}>
      <table className={css.table}>
        <thead>
          <tr>
            <th scope="col">{t.memory}</th>
            <th scope="col">{t.change}</th>
            <th scope="col">{t.final}</th>
            {RANKED.slice(0, -1).map((stage) => (
              <th key={stage} scope="col">
                {stage}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id} data-change={row.change}>
              <th scope="row" title={nameOf(row.id)}>
                {nameOf(row.id)}
              </th>
              <td className={css.change}>
                <span aria-hidden="true">{GLYPHS[row.change]}</span> {t.changes[row.change]}
              </td>
              <td>{places(row.a, row.b)}</td>
              {row.places.slice(0, -1).map((place) => (
                <td key={place.stage}>{places(place.a, place.b)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolled>
  );
}

const GLYPHS = { promoted: '▲', demoted: '▼', fresh: '+', dropped: '−', kept: '=' } as const;

function places(a: number | null, b: number | null): string {
  if (a === b) return a === null ? '–' : String(a);
  return t.places(a === null ? '–' : String(a), b === null ? '–' : String(b));
}

function Stages({ found }: { found: Difference }) {
  return (
    <Scrolled label={t.stages}>
      <table className={css.table}>
        <thead>
          <tr>
            <th scope="col">{t.stage}</th>
            {(['A', 'B'] as const).map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {found.stages.map((row) => (
            <tr key={row.stage} data-differs={row.differs || undefined}>
              <th scope="row">{row.stage}</th>
              {[row.a, row.b].map((part, index) => (
                <td key={index === 0 ? 'a' : 'b'}>
                  {part.status}
                  {part.reason ? `: ${part.reason}` : ''} · {part.in} → {part.out} ·{' '}
                  {duration(part.elapsed_ms)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolled>
  );
}

function Settings({ found }: { found: Difference }) {
  const pairs = [...found.facts, ...found.constants];
  if (pairs.length === 0) return <p className={css.note}>{t.noSettings}</p>;
  return (
    <Scrolled label={t.settings}>
      <table className={css.table}>
        <thead>
          <tr>
            <th scope="col">{t.settings}</th>
            <th scope="col">A</th>
            <th scope="col">B</th>
          </tr>
        </thead>
        <tbody>
          {pairs.map((pair) => (
            <tr key={pair.name}>
              <th scope="row">{named({}, pair.name)}</th>
              <td>{pair.a}</td>
              <td>{pair.b}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolled>
  );
}
