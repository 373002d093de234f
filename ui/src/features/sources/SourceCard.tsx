import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../components/Button';
import { Dialog } from '../../components/Dialog';
import { failed } from '../../components/failure';
import { Progress } from '../../components/Progress';
import { Failed } from '../../components/State';
import { toast } from '../../components/Toast';
import { backend } from '../../ipc/backend';
import type { SourceView } from '../../ipc/bindings';
import { keys } from '../../ipc/keys';
import { text } from '../../locales/en';
import type { Backfill } from '../../shell/backfills';
import { projectOf } from '../../words/where';
import { ErrorTable } from './ErrorTable';
import { LeftOut } from './LeftOut';
import css from './SourceCard.module.css';

const TONE: Record<string, string> = {
  watching: 'good',
  polling: 'good',
  backfilling: 'busy',
  missing: 'bad',
};

/** A watched folder: how it is doing and what came from it. */
export function SourceCard({ source, backfill }: { source: SourceView; backfill?: Backfill }) {
  const words = text.sources;
  const client = useQueryClient();
  const [errors, setErrors] = useState(false);
  const unwatch = useMutation({
    mutationFn: () => backend().unwatch(source.id),
    onSuccess: (left) => {
      client.setQueryData(keys.sources, left);
      void client.invalidateQueries({ queryKey: keys.status });
      void client.invalidateQueries({ queryKey: keys.folders });
      toast(words.unwatched(source.path));
    },
    onError: failed,
  });
  const skipped = Object.entries(source.skipped).sort((a, b) => b[1] - a[1]);
  const busy = backfill !== undefined || source.state === 'backfilling';
  return (
    <article className={css.card} aria-label={source.path}>
      <header className={css.header}>
        <span className={css.path}>{source.path}</span>
        <Button variant="quiet" onPress={() => unwatch.mutate()} isPending={unwatch.isPending}>
          {words.unwatch}
        </Button>
      </header>
      <p className={css.line}>
        <span className={css.state} data-tone={TONE[source.state]}>
          {words.states[source.state] ?? source.state}
        </span>
        {source.formats.map((format) => (
          <span key={format}>{format}</span>
        ))}
        {source.subagents && <span>{words.withSubagents}</span>}
        {source.left_out.length > 0 && (
          <span>{words.projects.leftOut(source.left_out.map(projectOf))}</span>
        )}
        <span>
          {source.last_seen_at
            ? words.lastSeen(text.common.dateTime(source.last_seen_at))
            : words.neverSeen}
        </span>
      </p>
      {source.state_reason && <p className={css.reason}>{source.state_reason}</p>}
      {busy && (
        <Progress
          label={words.reading}
          value={backfill?.done ?? 0}
          total={backfill?.total ?? null}
          note={backfill ? words.progress(backfill.done, backfill.total) : undefined}
        />
      )}
      <p className={css.line} data-numbers>
        <span>{words.files(source.files)}</span>
        <span>{words.records(source.records)}</span>
        <b>{words.stored(Math.max(source.stored, backfill?.stored ?? 0))}</b>
      </p>
      {skipped.length > 0 && (
        <details>
          <summary className={css.line}>
            <span>{`${words.skipped}:`}</span>
            {skipped.map(([reason, count]) => (
              <span key={reason}>{`${reason} ${text.common.number(count)}`}</span>
            ))}
          </summary>
          <LeftOut skipped={source.skipped} />
        </details>
      )}
      {source.errors > 0 && (
        <div>
          <Button variant="danger" onPress={() => setErrors(true)}>
            {words.errors(source.errors)}
          </Button>
          <Dialog
            title={words.errorsTitle}
            isOpen={errors}
            onClose={() => setErrors(false)}
            actions={<Button onPress={() => setErrors(false)}>{text.common.close}</Button>}
          >
            <Errors id={source.id} />
          </Dialog>
        </div>
      )}
    </article>
  );
}

function Errors({ id }: { id: string }) {
  const errors = useQuery({
    queryKey: keys.sourceErrors(id),
    queryFn: () => backend().sourceErrors(id),
    staleTime: 0,
  });
  if (errors.isError) {
    return <Failed error={errors.error} onRetry={() => void errors.refetch()} />;
  }
  return (
    <>
      <p>{text.sources.errorsLead}</p>
      <ErrorTable errors={errors.data ?? []} />
    </>
  );
}
