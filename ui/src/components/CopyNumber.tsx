import { useEffect, useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { text } from '../locales/en';
import css from './CopyNumber.module.css';

/** Puts text on the clipboard; false where that is refused. */
export async function copy(value: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(value);
    return true;
  } catch {
    return false;
  }
}

/** A number or a name that can be taken along: a press copies its exact value. */
export function CopyNumber({
  shown,
  exact,
  label,
}: {
  shown: string;
  exact?: string;
  label?: string;
}) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1200);
    return () => clearTimeout(timer);
  }, [copied]);
  const value = exact ?? shown;
  return (
    <Button
      className={css.number}
      aria-label={`${label ? `${label}: ` : ''}${shown}, ${copied ? text.common.copied : text.common.copy}`}
      data-copied={copied || undefined}
      onPress={() => void copy(value).then(setCopied)}
    >
      <span title={value}>{shown}</span>
    </Button>
  );
}
