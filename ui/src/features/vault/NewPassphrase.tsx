/** A new passphrase, typed twice, and how good it is. */
import { useEffect, useState } from 'react';
import { failed } from '../../components/failure';
import { TextField } from '../../components/fields';
import { backend } from '../../ipc/backend';
import type { StrengthView } from '../../ipc/bindings';
import { useLatest } from '../../ipc/latest';
import { text } from '../../locales/en';
import css from './NewPassphrase.module.css';

const words = text.onboarding;

/** What was typed, as long as it is needed. */
export function useNewPassphrase() {
  const [value, setValue] = useState('');
  const [again, setAgain] = useState('');
  const [asked, setAsked] = useState(false);
  const {
    data: strength,
    error,
    run: weigh,
    set: setStrength,
  } = useLatest((given: string) => backend().passphraseStrength(given));
  useEffect(() => {
    if (value === '') setStrength(null);
    else weigh(value);
  }, [value, weigh, setStrength]);
  useEffect(() => {
    if (error) failed(error);
  }, [error]);
  return {
    value,
    isReady: value !== '' && again === value && (strength?.score ?? 0) > 0,
    /** From now on what is missing is complained about. */
    ask: () => setAsked(true),
    clear: () => {
      setValue('');
      setAgain('');
    },
    fields: { value, setValue, again, setAgain, asked, strength },
  };
}

type Fields = ReturnType<typeof useNewPassphrase>['fields'];

export function NewPassphrase(props: {
  fields: Fields;
  label: string;
  /** Why the core refused it. */
  error?: string | null;
  onChange?: () => void;
}) {
  const { value, setValue, again, setAgain, asked, strength } = props.fields;
  const differs = again !== '' && again !== value;
  return (
    <>
      <TextField
        label={props.label}
        type="password"
        value={value}
        onChange={(next) => {
          setValue(next);
          props.onChange?.();
        }}
        error={props.error ?? null}
        autoComplete="new-password"
      />
      <Strength strength={strength} />
      <TextField
        label={words.again}
        type="password"
        value={again}
        onChange={setAgain}
        // While the second is being typed it always differs: complain once it can't match.
        error={differs && (asked || !value.startsWith(again)) ? words.mismatch : null}
        autoComplete="new-password"
      />
    </>
  );
}

function Strength({ strength }: { strength: StrengthView | null }) {
  const score = strength?.score ?? 0;
  return (
    <div className={css.strength}>
      <div className={css.meter} data-weak={score < 2 || undefined} aria-hidden="true">
        {[1, 2, 3, 4].map((step) => (
          <span key={step} data-on={(strength && score >= step) || undefined} />
        ))}
      </div>
      <span aria-live="polite">
        {strength
          ? `${words.strength}: ${words.strengths[score] ?? ''}. ${strength.advice}`
          : words.strengthHint}
      </span>
    </div>
  );
}
