import { useEffect, useRef, useState } from 'react';
import { useRoute } from '../../app/route';
import { EmptyState } from '../../components/EmptyState';
import { Page, Panel } from '../../components/Page';
import { sentenceOf } from '../../ipc/failure';
import { useSources } from '../../ipc/hooks';
import { text } from '../../locales/en';
import { AddPath } from './AddPath';
import { DryRun } from './DryRun';
import { FolderOffers } from './FolderOffers';
import { useBackfills } from './progress';
import { SourceCard } from './SourceCard';
import css from './SourcesSection.module.css';

/** Which logs become memories: what is watched, and how to add more. */
export function SourcesSection() {
  const words = text.sources;
  const { params } = useRoute();
  const sources = useSources();
  const backfills = useBackfills();
  const [looking, setLooking] = useState<string | null>(null);
  const panel = useRef<HTMLDivElement>(null);

  useEffect(() => {
    if (looking !== null) panel.current?.scrollIntoView({ block: 'nearest' });
  }, [looking]);

  const held = sources.data ?? [];
  return (
    <Page title={words.title} lead={words.lead}>
      <div className={css.columns}>
        <div className={css.column}>
          <Panel title={words.watchedTitle}>
            {sources.isError && <p role="alert">{sentenceOf(sources.error)}</p>}
            {sources.data && held.length === 0 ? (
              <EmptyState title={words.emptyTitle}>{words.emptyBody}</EmptyState>
            ) : (
              <ul className={css.cards}>
                {held.map((source) => (
                  <li key={source.id}>
                    <SourceCard source={source} backfill={backfills.get(source.id)} />
                  </li>
                ))}
              </ul>
            )}
          </Panel>
        </div>
        <div className={css.column} ref={panel}>
          {looking !== null && (
            <DryRun key={looking} path={looking} onDone={() => setLooking(null)} />
          )}
          <FolderOffers onLook={setLooking} />
          <AddPath onLook={setLooking} autoFocus={params.add !== undefined} />
        </div>
      </div>
    </Page>
  );
}
