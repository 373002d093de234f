/** The pill that filters, modes and facts share. */
import { type ReactNode, useId } from 'react';
import { Button } from 'react-aria-components/Button';
import { Dialog, DialogTrigger } from 'react-aria-components/Dialog';
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox';
import { Popover } from 'react-aria-components/Popover';
import { Select, SelectValue } from 'react-aria-components/Select';
import css from './Chip.module.css';

/** A fact: a word and its value. */
export function Chip({
  label,
  value,
  title,
}: {
  label?: string;
  value: ReactNode;
  title?: string;
}) {
  return (
    <span className={css.chip} title={title}>
      {label && <>{label} </>}
      <em>{value}</em>
    </span>
  );
}

/** A pill that does something. */
export function ChipButton(props: {
  label?: string;
  value: ReactNode;
  onPress: () => void;
  /** Whether it is on; makes it a toggle for screen readers. */
  isOn?: boolean;
  name?: string;
}) {
  return (
    <Button
      className={css.chip}
      onPress={props.onPress}
      aria-pressed={props.isOn}
      aria-label={props.name}
      data-on={props.isOn || undefined}
    >
      {props.label && <>{props.label} </>}
      <em>{props.value}</em>
    </Button>
  );
}

/** One value of a choice. */
export interface Choice {
  id: string;
  label: string;
  /** How many have it. */
  count?: number;
  /** A second, quieter line. */
  hint?: string;
}

function Row({ choice }: { choice: Choice }) {
  return (
    <ListBoxItem id={choice.id} textValue={choice.label} className={css.item ?? ''}>
      <span className={css.tick} aria-hidden="true" />
      <span className={css.text}>
        {choice.label}
        {choice.hint && <small>{choice.hint}</small>}
      </span>
      {choice.count !== undefined && <i>{choice.count.toLocaleString('en-US')}</i>}
    </ListBoxItem>
  );
}

/** A pill that chooses one of several. */
export function ChipSelect(props: {
  label: string;
  value: string;
  choices: readonly Choice[];
  onChange: (id: string) => void;
  /** Shown after the value, for example "·edited". */
  suffix?: string;
}) {
  const name = useId();
  return (
    <Select
      value={props.value}
      onChange={(key) => key !== null && props.onChange(String(key))}
      aria-label={props.label}
      className={css.select ?? ''}
    >
      {/* Named by what it shows, in the order it shows it, so that it can be called by voice. */}
      <Button className={css.chip} aria-labelledby={name}>
        <span id={name} className={css.name}>
          {props.label}{' '}
          <SelectValue className={css.value ?? ''}>
            {() => (
              <em>{props.choices.find((one) => one.id === props.value)?.label ?? props.value}</em>
            )}
          </SelectValue>
          {props.suffix && <> {props.suffix}</>}
        </span>
        <span className={css.caret} aria-hidden="true" />
      </Button>
      <Popover className={css.popover ?? ''} offset={4}>
        <ListBox className={css.list ?? ''} items={props.choices}>
          {(choice) => <Row choice={choice} />}
        </ListBox>
      </Popover>
    </Select>
  );
}

/** A pill that chooses any number of several; none means any. */
export function ChipFilter(props: {
  label: string;
  any: string;
  selected: readonly string[];
  choices: readonly Choice[];
  onChange: (ids: string[]) => void;
  /** Said when there is nothing to choose from. */
  empty: string;
  /** Only one at a time; choosing it again clears it. */
  single?: boolean;
}) {
  const { label, any, selected, choices, onChange } = props;
  const names = selected.map((id) => choices.find((one) => one.id === id)?.label ?? id);
  const value = names.length === 0 ? any : names.length < 3 ? names.join(', ') : `${names.length}`;
  return (
    <DialogTrigger>
      <Button className={css.chip} data-on={selected.length > 0 || undefined}>
        {label} <em>{value}</em>
        <span className={css.caret} aria-hidden="true" />
      </Button>
      <Popover className={css.popover ?? ''} offset={4}>
        <Dialog aria-label={label} className={css.dialog ?? ''}>
          {choices.length === 0 ? (
            <p className={css.none}>{props.empty}</p>
          ) : (
            <ListBox
              aria-label={label}
              autoFocus
              className={css.list ?? ''}
              items={choices}
              selectionMode={props.single ? 'single' : 'multiple'}
              selectionBehavior="toggle"
              escapeKeyBehavior="none"
              selectedKeys={selected}
              onSelectionChange={(keys) =>
                onChange(keys === 'all' ? choices.map((one) => one.id) : [...keys].map(String))
              }
            >
              {(choice) => <Row choice={choice} />}
            </ListBox>
          )}
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}
