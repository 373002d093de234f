import { Button } from '../../components/Button';
import { ChipButton, ChipFilter, ChipSelect, type Choice } from '../../components/Chip';
import { SearchField } from '../../components/fields';
import type { FacetValue, SortOrder } from '../../ipc/bindings';
import { useFacets } from '../../ipc/hooks';
import { text } from '../../locales/en';
import { Segmented } from '../xray/Segmented';
import { DateChip } from './DateChip';
import css from './FilterBar.module.css';
import { type Filters, filtering, NO_FILTERS } from './filters';

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

/** Text, chips and order; the facets say what there is to choose from. */
export function FilterBar(props: {
  filters: Filters;
  onChange: (change: Partial<Filters>) => void;
  total: number;
  shape: 'list' | 'map';
  onShape: (shape: 'list' | 'map') => void;
}) {
  const { filters, onChange } = props;
  const words = text.memories;
  const facets = useFacets().data;
  const shared = { any: text.common.any, empty: words.noValues };
  return (
    // biome-ignore lint/a11y/useSemanticElements: the oldest engine the window runs in has no <search>.
    <div className={css.bar} role="search">
      <div className={css.first}>
        <fieldset className={css.views}>
          <legend className="visually-hidden">{words.views}</legend>
          {[false, true].map((trash) => (
            <label key={String(trash)}>
              <input
                type="radio"
                name="view"
                checked={filters.trash === trash}
                onChange={() => onChange({ trash })}
              />
              {trash ? words.trash : words.living}
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
            ['map', words.map.map],
          ]}
          onChange={props.onShape}
        />
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
            onPress={() => onChange({ ...NO_FILTERS, sort: filters.sort, trash: filters.trash })}
          >
            {words.clear}
          </Button>
        )}
      </div>
    </div>
  );
}
