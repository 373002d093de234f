/** A file that the person chooses in the system's own dialog. The page knows its path and reads nothing. */
import { Button } from '../../components/Button';
import { failed } from '../../components/failure';
import { backend } from '../../ipc/backend';
import { text } from '../../locales/en';
import css from './Copies.module.css';

const words = text.vault.copies.restoring;

export function FileChoice(props: {
  label: string;
  /** What the system's dialog is called. */
  title: string;
  path: string | null;
  onChange: (path: string) => void;
}) {
  const choose = async () => {
    try {
      const path = await backend().pickFile(props.title);
      if (path !== null) props.onChange(path);
    } catch (error) {
      failed(error);
    }
  };
  return (
    <div className={css.choice}>
      <span className={css.label}>{props.label}</span>
      <span className={css.path}>{props.path ?? words.none}</span>
      <Button
        autoFocus
        aria-label={`${props.label}: ${words.choose}`}
        onPress={() => void choose()}
      >
        {words.choose}
      </Button>
    </div>
  );
}
