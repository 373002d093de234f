/** Above the results: what they can be narrowed to, with counts. Nothing is asked again for it. */
import { memo, useMemo, useRef } from 'react';
import { useWidth } from '../../charts/width';
import { ChipButton, ChipFilter } from '../../components/Chip';
import type { MemoryCard } from '../../ipc/bindings';
import { xray } from '../../locales/en/xray';
import { setPreferences, usePreferences } from '../../shell/preferences';
import { titleOf } from '../../words/where';
import { useTitles } from './Meta';
import css from './ResultList.module.css';
import { chipWidth, fitting } from './room';
import { type Counted, facetsOf, type Narrowed, type Part, type ShownResult } from './shown';
import { xrayStore } from './store';

const t = xray.list;

/** Room, in pixels, for the bar's own edges, for one menu, and for how many are shown. */
const AROUND = 20;
const MENU = 104;
/** Kept free also while nothing is left out: no chip may give way to what its own press says. */
const SAID = 64;

export const Narrowing = memo(function Narrowing(props: {
  results: readonly string[];
  cards: Readonly<Record<string, MemoryCard | undefined>>;
  narrowed: Narrowed;
  rows: readonly ShownResult[];
}) {
  const { results, cards, narrowed, rows } = props;
  const { conversationFirst } = usePreferences();
  const facets = useMemo(() => facetsOf(results, cards), [results, cards]);
  const titles = useTitles();
  const narrow = (change: Partial<Narrowed>) =>
    xrayStore().set({ narrowed: { ...narrowed, ...change } });
  const flip = (part: Part) =>
    narrow({
      parts: narrowed.parts.includes(part)
        ? narrowed.parts.filter((one) => one !== part)
        : [...narrowed.parts, part],
    });
  const seen = rows.reduce((sum, row) => sum + 1 + row.alike.length, 0);
  const bar = useRef<HTMLFieldSetElement>(null);
  const width = useWidth(bar, 240, 2400);
  // What stands beside the kinds, which give way to it.
  const menus = [facets.projects, facets.conversations].filter((values) => values.length > 1);
  const said = seen < results.length ? t.shown(seen, results.length) : '';
  const beside = AROUND + menus.length * MENU + chipWidth(t.first) + SAID;
  const inBar = fitting(
    facets.parts.map(({ value, count }) => chipWidth(t.parts[value], count)),
    width - beside,
    MENU,
  );
  const folded = facets.parts.slice(inBar);
  return (
    <fieldset className={css.narrowing} ref={bar} data-facets>
      <legend className="visually-hidden">{t.narrow}</legend>
      {facets.parts.slice(0, inBar).map(({ value, count }) => (
        <ChipButton
          key={value}
          value={
            <>
              {t.parts[value]} <i>{count}</i>
            </>
          }
          isOn={narrowed.parts.includes(value)}
          onPress={() => flip(value)}
        />
      ))}
      {folded.length > 0 ? (
        <ChipFilter
          label={inBar === 0 ? t.kind : t.moreKinds}
          any={inBar === 0 ? t.any : ''}
          selected={narrowed.parts.filter((part) => folded.some(({ value }) => value === part))}
          choices={folded.map(({ value, count }) => ({ id: value, label: t.parts[value], count }))}
          onChange={(chosen) => {
            const kept = narrowed.parts.filter((part) =>
              folded.every(({ value }) => value !== part),
            );
            narrow({ parts: [...kept, ...(chosen as Part[])] });
          }}
          empty=""
        />
      ) : null}
      <Choice
        label={t.project}
        values={facets.projects}
        selected={narrowed.projects}
        onChange={(projects) => narrow({ projects })}
      />
      <Choice
        label={t.session}
        values={facets.conversations}
        selected={narrowed.conversations}
        nameOf={(key) => titleOf(titles.get(key) ?? key)}
        onChange={(conversations) => narrow({ conversations })}
      />
      {said === '' ? null : (
        <p role="status" title={said}>
          {said}
        </p>
      )}
      <span className={css.last} title={t.firstHelp}>
        <ChipButton
          value={t.first}
          isOn={conversationFirst}
          onPress={() => setPreferences({ conversationFirst: !conversationFirst })}
        />
      </span>
    </fieldset>
  );
});

/** Only where there is something to choose between. */
function Choice(props: {
  label: string;
  values: readonly Counted[];
  selected: readonly string[];
  nameOf?: (value: string) => string;
  onChange: (values: string[]) => void;
}) {
  if (props.values.length < 2) return null;
  return (
    <ChipFilter
      label={props.label}
      any={t.any}
      selected={props.selected}
      choices={props.values.map(({ value, count }) => ({
        id: value,
        label: props.nameOf?.(value) ?? value,
        count,
      }))}
      onChange={props.onChange}
      empty=""
    />
  );
}
