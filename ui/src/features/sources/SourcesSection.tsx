import { useEffect, useRef, useState } from 'react';
import { Button } from '../../components/Button';
import { EmptyState } from '../../components/EmptyState';
import { Column, Columns, Page, Panel } from '../../components/Page';
import { Progress } from '../../components/Progress';
import { Failed, Waiting } from '../../components/State';
import { Tabs } from '../../components/Tabs';
import { useSessions, useSources, useStatus } from '../../ipc/hooks';
import { text } from '../../locales/en';
import { duration } from '../../locales/en/format';
import { xray } from '../../locales/en/xray';
import { useBackfills } from '../../shell/backfills';
import { useEmbedding } from '../../shell/embedding';
import { navigate, useRoute } from '../../shell/route';
import { firstQuestions } from '../../words/questions';
import { useXray } from '../xray/store';
import { AddPath } from './AddPath';
import { DryRun } from './DryRun';
import { Documents } from './documents/Documents';
import { Research } from './documents/Research';
import { FolderOffers } from './FolderOffers';
import { SourceCard } from './SourceCard';
import css from './SourcesSection.module.css';

/** What can be searched: logs that become memories, documents, and past research. */
export function SourcesSection() {
  const words = text.documents;
  const { params } = useRoute();
  return (
    <Page title={text.sources.title} lead={text.sources.lead}>
      <Tabs
        label={words.tabs}
        selected={params.tab ?? 'logs'}
        onSelect={(tab) => navigate('sources', { tab })}
        tabs={[
          { id: 'logs', title: words.logs, content: <Logs /> },
          { id: 'documents', title: words.documents, content: <Documents /> },
          { id: 'research', title: words.research, content: <Research /> },
        ]}
      />
    </Page>
  );
}

/** While meaning sees a part only: how much, and how long the rest takes. */
function Embedding() {
  const words = text.sources;
  const embedding = useEmbedding(useStatus().data);
  if (embedding === null) return null;
  const { done, total, left } = embedding;
  return (
    <Panel title={words.embedding}>
      <Progress
        label={words.embedding}
        value={done}
        total={total}
        note={words.embedded(
          text.common.number(done),
          text.common.number(total),
          left === null ? null : duration(left * 1000),
        )}
      />
    </Panel>
  );
}

/** Once something came in: what could be asked first, until a question was asked. */
function Begin() {
  const { asked } = useXray('asked');
  const status = useStatus().data;
  const { first, asks } = xray.empty;
  const questions = firstQuestions(useSessions().data ?? []);
  if (asked !== null || !status || status.demo || questions.length === 0) return null;
  return (
    <Panel title={first}>
      <ul>
        {questions.map(({ kind, about }) => (
          <li key={kind}>
            <Button variant="quiet" onPress={() => navigate('xray', { q: asks[kind](about) })}>
              {asks[kind](about)}
            </Button>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** Which logs become memories: what is watched, and how to add more. */
function Logs() {
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
    <Columns>
      <Column>
        <Embedding />
        <Panel title={words.watchedTitle}>
          {sources.isPending ? <Waiting /> : null}
          {sources.isError ? (
            <Failed error={sources.error} onRetry={() => void sources.refetch()} />
          ) : null}
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
        {held.length > 0 ? <Begin /> : null}
      </Column>
      <Column ref={panel}>
        {looking !== null && (
          <DryRun key={looking} path={looking} onDone={() => setLooking(null)} />
        )}
        <FolderOffers onLook={setLooking} />
        <AddPath onLook={setLooking} autoFocus={params.add !== undefined} />
      </Column>
    </Columns>
  );
}
