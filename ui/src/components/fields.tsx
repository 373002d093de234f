/** What people type into and choose from. */
import type { ReactNode, Ref } from 'react';
import { Button } from 'react-aria-components/Button';
import { FieldError } from 'react-aria-components/FieldError';
import { Input } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox';
import { Popover } from 'react-aria-components/Popover';
import { SearchField as AriaSearchField } from 'react-aria-components/SearchField';
import { Select as AriaSelect, SelectValue } from 'react-aria-components/Select';
import { Switch as AriaSwitch } from 'react-aria-components/Switch';
import { Text } from 'react-aria-components/Text';
import { TextArea } from 'react-aria-components/TextArea';
import { TextField as AriaTextField } from 'react-aria-components/TextField';
import css from './fields.module.css';

export interface TextFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  type?: 'text' | 'password' | 'date';
  description?: ReactNode;
  /** Why the value is refused; marks the field. */
  error?: string | null;
  placeholder?: string;
  /** More than one line of text. */
  rows?: number;
  autoFocus?: boolean;
  autoComplete?: string;
  isDisabled?: boolean;
}

/** A line of text, or several. */
export function TextField(props: TextFieldProps) {
  const { label, value, onChange, type = 'text', description, error, rows } = props;
  return (
    <AriaTextField
      className={css.field ?? ''}
      value={value}
      onChange={onChange}
      type={rows ? undefined : type}
      isInvalid={Boolean(error)}
      isDisabled={props.isDisabled}
      autoFocus={props.autoFocus}
      autoComplete={props.autoComplete ?? 'off'}
    >
      <Label className={css.label ?? ''}>{label}</Label>
      {rows ? (
        <TextArea className={css.input ?? ''} rows={rows} spellCheck={false} />
      ) : (
        <Input className={css.input ?? ''} placeholder={props.placeholder} spellCheck={false} />
      )}
      {description && (
        <Text slot="description" className={css.description ?? ''}>
          {description}
        </Text>
      )}
      <FieldError className={css.error ?? ''}>{error}</FieldError>
    </AriaTextField>
  );
}

/** A line to search with; Escape empties it. */
export function SearchField(props: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  placeholder?: string;
  input?: Ref<HTMLInputElement>;
}) {
  return (
    <AriaSearchField
      className={css.search ?? ''}
      aria-label={props.label}
      value={props.value}
      onChange={props.onChange}
    >
      <Input
        ref={props.input}
        className={css.input ?? ''}
        placeholder={props.placeholder}
        spellCheck={false}
      />
    </AriaSearchField>
  );
}

/** One of a few named values. */
export function Select(props: {
  label: string;
  value: string;
  choices: readonly { id: string; label: string }[];
  onChange: (id: string) => void;
  description?: ReactNode;
}) {
  return (
    <AriaSelect
      className={css.field ?? ''}
      value={props.value}
      onChange={(key) => key !== null && props.onChange(String(key))}
    >
      <Label className={css.label ?? ''}>{props.label}</Label>
      <Button className={css.button ?? ''}>
        <SelectValue>
          {() => props.choices.find((one) => one.id === props.value)?.label ?? props.value}
        </SelectValue>
        <span className={css.caret} aria-hidden="true" />
      </Button>
      {props.description && (
        <Text slot="description" className={css.description ?? ''}>
          {props.description}
        </Text>
      )}
      <Popover className={css.popover ?? ''} offset={4}>
        <ListBox className={css.list ?? ''} items={props.choices}>
          {(choice) => (
            <ListBoxItem id={choice.id} className={css.item ?? ''}>
              {choice.label}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}

/** On or off, at once. */
export function Switch(props: {
  children: ReactNode;
  isSelected: boolean;
  onChange: (on: boolean) => void;
  isDisabled?: boolean;
}) {
  return (
    <AriaSwitch
      className={css.switch ?? ''}
      isSelected={props.isSelected}
      onChange={props.onChange}
      isDisabled={props.isDisabled}
    >
      <span className={css.rail} aria-hidden="true" />
      <span>{props.children}</span>
    </AriaSwitch>
  );
}
