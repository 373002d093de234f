import type { ReactNode } from 'react';
import { Button } from 'react-aria-components/Button';
import { Tooltip } from '../components/Tooltip';
import { text } from '../locales/en';
import { openBook, type Place } from './book';
import css from './HelpMark.module.css';

/** The question mark beside a number: a line when pointed at, the page of the book when pressed. */
export function HelpMark(props: { place: Place; about: string; children?: ReactNode }) {
  return (
    <Tooltip content={props.children ?? text.app.book.opens}>
      <Button
        className={css.mark ?? ''}
        aria-label={text.app.book.about(props.about)}
        data-help={props.place}
        onPress={() => openBook(props.place)}
      >
        ?
      </Button>
    </Tooltip>
  );
}
