/** One of two or three, all visible. */
import { ToggleButton } from 'react-aria-components/ToggleButton';
import { ToggleButtonGroup } from 'react-aria-components/ToggleButtonGroup';
import css from './Segmented.module.css';

export function Segmented<T extends string>(props: {
  label: string;
  value: T;
  choices: ReadonlyArray<readonly [T, string]>;
  onChange: (value: T) => void;
}) {
  return (
    <ToggleButtonGroup
      aria-label={props.label}
      className={css.group ?? ''}
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[props.value]}
      onSelectionChange={(chosen) => {
        const [first] = chosen;
        if (first !== undefined) props.onChange(String(first) as T);
      }}
    >
      {props.choices.map(([id, label]) => (
        <ToggleButton key={id} id={id} className={css.choice ?? ''}>
          {label}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}
