import { Button } from 'react-aria-components/Button';
import { Dialog, DialogTrigger } from 'react-aria-components/Dialog';
import { Popover } from 'react-aria-components/Popover';
import chip from '../../components/Chip.module.css';
import { TextField } from '../../components/fields';
import { text } from '../../locales/en';
import css from './DateChip.module.css';
import type { DateChoice, Filters } from './filters';

const CHOICES: DateChoice[] = ['any', 'today', 'week', 'month', 'range'];

/** The filter by the day something happened. */
export function DateChip(props: {
  filters: Filters;
  onChange: (change: Partial<Filters>) => void;
}) {
  const { filters, onChange } = props;
  const words = text.memories;
  const range = [filters.from, filters.until].filter(Boolean).join(' – ');
  const value = filters.date === 'range' && range ? range : words.dates[filters.date];
  return (
    <DialogTrigger>
      <Button className={chip.chip} data-on={filters.date !== 'any' || undefined}>
        {words.filters.date} <em>{value}</em>
        <span className={chip.caret} aria-hidden="true" />
      </Button>
      <Popover className={chip.popover ?? ''} offset={4}>
        <Dialog aria-label={words.filters.date} className={css.dialog ?? ''}>
          <fieldset className={css.choices}>
            <legend className="visually-hidden">{words.filters.date}</legend>
            {CHOICES.map((choice) => (
              <label key={choice}>
                <input
                  type="radio"
                  name="date"
                  checked={filters.date === choice}
                  onChange={() => onChange({ date: choice })}
                />
                {words.dates[choice]}
              </label>
            ))}
          </fieldset>
          {filters.date === 'range' && (
            <div className={css.range}>
              <TextField
                type="date"
                label={words.from}
                value={filters.from}
                onChange={(from) => onChange({ from })}
              />
              <TextField
                type="date"
                label={words.until}
                value={filters.until}
                onChange={(until) => onChange({ until })}
              />
            </div>
          )}
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}
