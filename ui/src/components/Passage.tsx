/** The passage of a memory that matched: its lines as they are read, what matched marked. */
import { Fragment, memo, useMemo } from 'react';
import type { HighlightView, MemoryCard } from '../ipc/bindings';
import { excerpt, isProgram, type PassageLine, passage } from '../words/passage';
import css from './Passage.module.css';

export const Passage = memo(function Passage(props: {
  card: Pick<MemoryCard, 'snippet' | 'highlights' | 'kind'>;
}) {
  const { snippet, highlights, kind } = props.card;
  const lines = useMemo(
    () => excerpt(passage(snippet, highlights, isProgram(kind))),
    [snippet, highlights, kind],
  );
  return <Lines lines={lines} />;
});

/** A whole text as it is read. */
export const PassageText = memo(function PassageText(props: {
  text: string;
  marks?: readonly HighlightView[];
  /** Its writer was a program. */
  code: boolean;
}) {
  const { text, marks = NONE, code } = props;
  const lines = useMemo(() => passage(text, marks, code), [text, marks, code]);
  return <Lines lines={lines} />;
});

const NONE: readonly HighlightView[] = [];

function Lines({ lines }: { lines: readonly PassageLine[] }) {
  return lines.map((line, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a line is told by its place.
    <Fragment key={index}>
      {index > 0 ? '\n' : null}
      <Line line={line} />
    </Fragment>
  ));
}

function Line({ line }: { line: PassageLine }) {
  return (
    <span className={css.line} data-code={line.code || undefined}>
      {line.number === null ? null : <i className={css.number}>{line.number} </i>}
      {line.spans.map((span, index) => {
        const text = span.marked ? <mark>{span.text}</mark> : span.text;
        const look = span.strong ? <b>{text}</b> : text;
        // biome-ignore lint/suspicious/noArrayIndexKey: a span is told by its place.
        return <Fragment key={index}>{span.code ? <code>{look}</code> : look}</Fragment>;
      })}
    </span>
  );
}
