/** One past query: pressing it asks again. */
import { Button } from '../../../components/Button';
import type { HistoryEntry, UsageCounts } from '../../../ipc/bindings';
import { title } from '../../../locales/en/format';
import { named, xray } from '../../../locales/en/xray';
import { moment } from './difference';
import css from './HistoryDialog.module.css';

const t = xray.history;

export function HistoryRow(props: {
  entry: HistoryEntry;
  /** What the agent made of what it was given, as soon as that is known. */
  usage: UsageCounts | null;
  isFirst: boolean;
  isMarked: boolean;
  onAgain: () => void;
  onOpen: () => void;
  onMark: () => void;
}) {
  const { entry } = props;
  const text = title(entry.query);
  return (
    <li className={css.item}>
      <button
        type="button"
        data-row
        tabIndex={props.isFirst ? 0 : -1}
        className={css.row}
        onClick={props.onAgain}
      >
        <time className={css.at} dateTime={entry.at}>
          {moment(entry.at).slice(0, 16)}
        </time>
        <span className={css.query}>{text}</span>
        <span className={css.facts}>
          <Outcome entry={entry} />
          <Used counts={props.usage} />
          <span>{facts(entry).join(' · ')}</span>
        </span>
      </button>
      <span className={css.buttons}>
        <Button variant="quiet" aria-label={t.asItWasOf(text)} onPress={props.onOpen}>
          {t.asItWas}
        </Button>
        <Button
          variant="quiet"
          aria-label={t.markOf(text)}
          aria-pressed={props.isMarked}
          onPress={props.onMark}
        >
          {props.isMarked ? <span aria-hidden="true">✓ </span> : null}
          {t.mark}
        </Button>
      </span>
    </li>
  );
}

function outcomeOf(entry: HistoryEntry): string {
  return entry.outcome === 'found'
    ? t.outcome.found(entry.found_rank ?? 0)
    : t.outcome[entry.outcome];
}

function facts(entry: HistoryEntry): string[] {
  const { agents = [] } = entry.filter;
  const narrowed = agents.length > 0 ? agents.join(', ') : narrows(entry) && t.filtered;
  return [
    entry.channel === 'window' ? '' : t.channel[entry.channel],
    entry.outcome === 'empty' ? '' : t.results(entry.results),
    entry.mode,
    entry.level === 'full' ? '' : named(xray.failure.levels, entry.level),
    entry.troubled.length > 0 ? t.troubled(entry.troubled.join(', ')) : '',
    narrowed || '',
  ].filter((fact) => fact !== '');
}

function narrows({ filter }: HistoryEntry): boolean {
  return Object.values(filter).some((value) =>
    Array.isArray(value) ? value.length > 0 : Boolean(value),
  );
}

function Outcome({ entry }: { entry: HistoryEntry }) {
  const said = outcomeOf(entry);
  if (said === '') return null;
  return (
    <b data-outcome={entry.outcome} title={t.outcomeHelp}>
      {said}
    </b>
  );
}

/** What the answer made of the memories, in short. */
function Used({ counts }: { counts: UsageCounts | null }) {
  if (counts === null || counts.given === 0) return null;
  const said = counts.answered
    ? [
        t.usage.counts(counts.used, counts.given),
        counts.contradicted > 0 ? t.usage.contradicted(counts.contradicted) : '',
      ]
    : [t.usage.unanswered];
  return (
    <b data-usage={counts.used > 0 ? 'used' : 'other'} title={t.usage.help}>
      {said.filter((part) => part !== '').join(' · ')}
    </b>
  );
}
