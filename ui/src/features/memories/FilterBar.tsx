import { useMemo } from 'react';
import { Button } from '../../components/Button';
import { ChipButton, ChipFilter, ChipSelect, type Choice } from '../../components/Chip';
import { sentenceOf } from '../../components/failure';
import { SearchField } from '../../components/fields';
import { Failed } from '../../components/State';
import type { FacetValue, SessionView, SortOrder } from '../../ipc/bindings';
import { useFacets, useSessions } from '../../ipc/hooks';
import { text } from '../../locales/en';
import { day } from '../../locales/en/format';
import { conversationKey, projectOf, titleOf } from '../../words/where';
import { Segmented } from '../xray/Segmented';
import { DateChip } from './DateChip';
import css from './FilterBar.module.css';
import { type Filters, filtering, NO_FILTERS, VIEWS } from './filters';

const SORTS: SortOrder[] = ['newest', 'oldest', 'last_stored', 'longest', 'most_seen'];

function choices(values: FacetValue[] | undefined, label = (value: string) => value): Choice[] {
  return (values ?? []).map(({ value, count }) => ({
    id: value,
    label: label(value) || '–',
    count,
    hint: label(value) === value ? undefined : value,
  }));
}

/** The last two parts of a path say which log it is; the whole path stands below. */
function shortPath(path: string): string {
  return path.split(/[\\/]/).slice(-2).join('/');
}

/** What fills the section: one list of all, the conversations, what is said twice, or the picture. */
export type Shape = 'list' | 'sessions' | 'duplicates' | 'map';

const NONE: readonly SessionView[] = [];

/** Projects with how many memories their conversations hold, the largest first. */
function projectsOf(sessions: readonly SessionView[]): Choice[] {
  const counts = new Map<string, number>();
  for (const { org, memories } of sessions) {
    if (org !== null) counts.set(org, (counts.get(org) ?? 0) + memories);
  }
  return [...counts]
    .toSorted((a, b) => b[1] - a[1])
    .map(([org, count]) => ({ id: org, label: projectOf(org), count, hint: org }));
}

/** Conversations of a project, or all, the one that was active last first. */
function conversationsOf(sessions: readonly SessionView[], project: string | null): Choice[] {
  return sessions
    .filter(({ org }) => project === null || org === project)
    .map((one) => ({
      id: conversationKey(one),
      label: titleOf(one.opening, 60),
      count: one.memories,
      hint: one.last === null ? undefined : day(one.last),
    }));
}

/** Text, chips and order; the facets say what there is to choose from. */
export function FilterBar(props: {
  filters: Filters;
  onChange: (change: Partial<Filters>) => void;
  total: number;
  shape: Shape;
  onShape: (shape: Shape) => void;
  onNew: () => void;
}) {
  const { filters, onChange } = props;
  const words = text.memories;
  const asked = [useFacets(), useSessions()] as const;
  const facets = asked[0].data;
  const sessions = asked[1].data ?? NONE;
  // The list of conversations says itself that they did not come.
  const waited = props.shape === 'sessions' ? asked.slice(0, 1) : asked;
  const fault = waited.find(({ error }) => error !== null);
  const projects = useMemo(() => projectsOf(sessions), [sessions]);
  const conversations = useMemo(
    () => conversationsOf(sessions, filters.project),
    [sessions, filters.project],
  );
  const empty = fault ? sentenceOf(fault.error) : words.noValues;
  const shared = { any: text.common.any, empty };
  return (
    // biome-ignore lint/a11y/useSemanticElements: the oldest engine the window runs in has no <search>.
    <div className={css.bar} role="search">
      <div className={css.first}>
        <fieldset className={css.views}>
          <legend className="visually-hidden">{words.views}</legend>
          {VIEWS.map((view) => (
            <label key={view}>
              <input
                type="radio"
                name="view"
                checked={filters.view === view}
                onChange={() => onChange({ view })}
              />
              {words[view]}
            </label>
          ))}
        </fieldset>
        <div className={css.search}>
          <SearchField
            label={words.search}
            placeholder={words.searchPlaceholder}
            value={filters.contains}
            onChange={(contains) => onChange({ contains })}
          />
        </div>
        <Segmented
          label={words.map.shownAs}
          value={props.shape}
          choices={[
            ['list', words.map.list],
            ['sessions', words.sessions.shape],
            ['duplicates', words.near.shape],
            ['map', words.map.map],
          ]}
          onChange={props.onShape}
        />
        <Button onPress={props.onNew}>{words.adding.open}</Button>
        <output className={css.total}>{words.total(props.total)}</output>
      </div>
      <div className={css.chips}>
        <ChipFilter
          {...shared}
          label={words.filters.agent}
          choices={choices(facets?.agents)}
          selected={filters.agents}
          onChange={(agents) => onChange({ agents })}
        />
        <ChipFilter
          {...shared}
          label={words.filters.role}
          choices={choices(facets?.roles)}
          selected={filters.roles}
          onChange={(roles) => onChange({ roles })}
        />
        <ChipFilter
          {...shared}
          label={words.filters.kind}
          choices={choices(facets?.kinds, (kind) => kind.replaceAll('_', ' '))}
          selected={filters.kinds}
          onChange={(kinds) => onChange({ kinds })}
        />
        <ChipFilter
          {...shared}
          single
          label={words.filters.source}
          choices={choices(facets?.sources, shortPath)}
          selected={filters.source === null ? [] : [filters.source]}
          onChange={([source]) => onChange({ source: source ?? null })}
        />
        {projects.length > 1 ? (
          <ChipFilter
            {...shared}
            single
            label={words.filters.project}
            choices={projects}
            selected={filters.project === null ? [] : [filters.project]}
            onChange={([project]) => onChange({ project: project ?? null, session: null })}
          />
        ) : null}
        {conversations.length > 1 ? (
          <ChipFilter
            {...shared}
            single
            label={words.filters.session}
            choices={conversations}
            selected={filters.session === null ? [] : [filters.session]}
            onChange={([session]) => onChange({ session: session ?? null })}
          />
        ) : null}
        <DateChip filters={filters} onChange={onChange} />
        <ChipFilter
          {...shared}
          label={words.filters.tag}
          choices={choices(facets?.tags)}
          selected={filters.tags}
          onChange={(tags) => onChange({ tags })}
        />
        <ChipSelect
          label={words.sort}
          value={filters.sort}
          choices={SORTS.map((id) => ({ id, label: words.sorts[id] }))}
          onChange={(sort) => onChange({ sort: sort as SortOrder })}
        />
        {filters.only !== null && (
          <ChipButton
            value={words.map.picked(filters.only.length)}
            isOn
            onPress={() => onChange({ only: null })}
          />
        )}
        {filtering(filters) && (
          <Button
            variant="quiet"
            onPress={() => onChange({ ...NO_FILTERS, sort: filters.sort, view: filters.view })}
          >
            {words.clear}
          </Button>
        )}
      </div>
      {fault ? <Failed error={fault.error} onRetry={() => void fault.refetch()} /> : null}
    </div>
  );
}
