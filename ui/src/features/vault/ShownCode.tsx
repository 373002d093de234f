/** A recovery code, as long as it is shown: to be copied, printed, written down. */
import { useState } from 'react';
import { createPortal } from 'react-dom';
import { Button } from '../../components/Button';
import { copy } from '../../components/CopyNumber';
import { text } from '../../locales/en';
import css from './ShownCode.module.css';

const words = text.vault.keys.drawing;

export function ShownCode(props: {
  code: string;
  folder: string;
  /** Whether one that was drawn before opens nothing any more. */
  isReplacing: boolean;
  onWritten: () => void;
}) {
  const [said, setSaid] = useState('');
  return (
    <>
      <p className={css.text}>{words.shownText}</p>
      {props.isReplacing && <p className={css.text}>{words.another}</p>}
      <output className={css.code} aria-label={words.code}>
        {props.code}
      </output>
      <p className={css.said} role="status">
        {said}
      </p>
      <div className={css.actions}>
        <Button
          onPress={() =>
            void copy(props.code).then((done) => setSaid(done ? words.copied : words.notCopied))
          }
        >
          {words.copy}
        </Button>
        <Button onPress={() => window.print()}>{words.print}</Button>
        <Button autoFocus variant="primary" onPress={props.onWritten}>
          {words.written}
        </Button>
      </div>
      {createPortal(<Sheet code={props.code} folder={props.folder} />, document.body)}
    </>
  );
}

/** What is printed instead of the window. On the screen there is nothing of it. */
function Sheet({ code, folder }: { code: string; folder: string }) {
  return (
    <section className={css.sheet} aria-hidden="true" data-print-alone="">
      <h1>{words.sheet.title}</h1>
      <pre>{code}</pre>
      <p>
        {words.sheet.folder} {folder}
      </p>
      <p>{words.sheet.use}</p>
    </section>
  );
}
