/** One memory as a part of a conversation: what was said in full, what tools did in one line. */
import { memo, useState } from 'react';
import { PassageText } from '../../components/Passage';
import type { TurnView } from '../../ipc/bindings';
import { title } from '../../locales/en/format';
import { xray } from '../../locales/en/xray';
import { isProgram } from '../../words/passage';
import { speaker } from './Meta';
import css from './Turn.module.css';

const t = xray.session;

/** Whether somebody said it, to somebody. */
const isSaid = (turn: TurnView) => turn.kind === 'text' && turn.role !== 'tool';

export const Turn = memo(function Turn(props: {
  turn: TurnView;
  /** Its place among the results, when it is one. */
  place?: number | undefined;
  isHere?: boolean;
  /** Only a line or two, as beside another memory. */
  isBrief?: boolean;
  onOpen?: ((id: string) => void) | undefined;
}) {
  const { turn, place, isHere = false, isBrief = false } = props;
  const said = isSaid(turn);
  const code = isProgram(turn.kind);
  const [open, setOpen] = useState(isHere || turn.failed);
  const more = turn.length - [...turn.text].length;
  const head = (
    <>
      <b>{speaker({ kind: turn.kind, role: turn.role, tool_name: turn.tool_name })}</b>
      {turn.target ? <code>{title(turn.target)}</code> : null}
      {turn.failed ? <em className={css.failed}>{t.failed}</em> : null}
      {said ? null : <small>{t.characters(turn.length)}</small>}
      {place === undefined ? null : <em className={css.place}>{t.place(place)}</em>}
    </>
  );
  const text = (
    <div className={css.text} data-brief={isBrief || undefined}>
      <PassageText text={turn.text} code={code} />
      {more > 0 && !isBrief ? <p className={css.more}>{t.more(more)}</p> : null}
    </div>
  );
  return (
    <div
      className={css.turn}
      data-turn={turn.id}
      data-role={turn.role}
      data-said={said || undefined}
      data-result={place}
      data-here={isHere || undefined}
    >
      {said || isBrief ? (
        <>
          <p className={css.head}>{head}</p>
          {text}
        </>
      ) : (
        <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary className={css.head}>{head}</summary>
          {open ? text : null}
        </details>
      )}
      {props.onOpen && place !== undefined ? (
        <button type="button" className={css.open} onClick={() => props.onOpen?.(turn.id)}>
          {t.openMemory}
        </button>
      ) : null}
    </div>
  );
});
