import { Button } from 'react-aria-components/Button';
import { Kbd } from '../components/Kbd';
import type { StatusView } from '../ipc/bindings';
import { text } from '../locales/en';
import { useArrivals } from '../shell/arrivals';
import { openBook, PLACE_OF } from '../shell/book';
import { written } from '../shell/keyboard';
import { SECTIONS, type Section } from '../shell/route';
import { clock, useIdleLock } from './idle';
import css from './Nav.module.css';

const time = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

/** The column (or, in a narrow window, the bar) of sections, and the state of the program. */
export function Nav(props: { status: StatusView; section: Section; onPalette: () => void }) {
  const { status, section } = props;
  const counts: Partial<Record<Section, number>> = {
    memories: status.memories,
    sources: status.sources,
  };
  return (
    <nav className={css.nav} aria-label={text.app.navigation}>
      <b className={css.brand}>
        {text.common.appName}
        {status.demo && <small>{text.app.demo}</small>}
      </b>
      <ul className={css.list}>
        {SECTIONS.map((one) => (
          <li key={one}>
            <a
              href={`#/${one}`}
              className={css.link}
              aria-current={one === section ? 'page' : undefined}
            >
              {text.app.sections[one]}
              {counts[one] !== undefined && <i>{text.common.number(counts[one])}</i>}
            </a>
          </li>
        ))}
      </ul>
      <Button className={css.palette} onPress={props.onPalette}>
        {text.app.palette.open} <Kbd keys={written('palette')} />
      </Button>
      <Button className={css.palette} onPress={() => openBook(PLACE_OF[section])}>
        {text.app.book.open} <Kbd keys={written('help')} />
      </Button>
      <Foot status={status} />
    </nav>
  );
}

function Foot({ status }: { status: StatusView }) {
  const arrivals = useArrivals();
  const left = useIdleLock(status.lock_after_minutes);
  const since = time.format(arrivals.since);
  const behind = status.model.state === 'ready' && status.embedded < status.embeddable;
  return (
    <div className={css.foot}>
      <span>
        <span className={css.dot} data-on={status.sources > 0 || undefined} aria-hidden="true" />
        {text.app.watching(status.sources)}
      </span>
      {status.model.state === 'loading' && <span>{text.app.modelLoading}</span>}
      {behind && (
        <span>
          {text.app.embedding(
            text.common.number(status.embedded),
            text.common.number(status.embeddable),
          )}
        </span>
      )}
      <span>{text.app.newSince(arrivals.count, since)}</span>
      <span>{left === null ? text.app.neverLocks : text.app.locksIn(clock(left))}</span>
    </div>
  );
}
