/** Above the results: what they can be narrowed to, with counts. Nothing is asked again for it. */
import { memo, useMemo } from 'react';
import { ChipButton, ChipFilter } from '../../components/Chip';
import type { MemoryCard } from '../../ipc/bindings';
import { xray } from '../../locales/en/xray';
import { setPreferences, usePreferences } from '../../shell/preferences';
import { titleOf } from '../../words/where';
import { useTitles } from './Meta';
import css from './ResultList.module.css';
import { type Counted, facetsOf, type Narrowed, type Part, type ShownResult } from './shown';
import { xrayStore } from './store';

const t = xray.list;

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
  return (
    <fieldset className={css.narrowing}>
      <legend className="visually-hidden">{t.narrow}</legend>
      {facets.parts.map(({ value, count }) => (
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
      <span className={css.last} title={t.firstHelp}>
        <ChipButton
          value={t.first}
          isOn={conversationFirst}
          onPress={() => setPreferences({ conversationFirst: !conversationFirst })}
        />
      </span>
      {seen < results.length ? <p role="status">{t.shown(seen, results.length)}</p> : null}
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
