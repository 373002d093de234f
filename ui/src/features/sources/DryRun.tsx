import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../components/Button';
import { failed, sentenceOf } from '../../components/failure';
import { Switch } from '../../components/fields';
import { Panel } from '../../components/Page';
import { Progress } from '../../components/Progress';
import { toast } from '../../components/Toast';
import { backend } from '../../ipc/backend';
import type { IngestReport } from '../../ipc/bindings';
import { keys } from '../../ipc/keys';
import { text } from '../../locales/en';
import css from './DryRun.module.css';
import { ErrorTable } from './ErrorTable';
import { LeftOut } from './LeftOut';
import { Projects } from './Projects';

/** What is in a folder, before the first byte of it is stored. */
export function DryRun({ path, onDone }: { path: string; onDone: () => void }) {
  const words = text.sources;
  const client = useQueryClient();
  const [subagents, setSubagents] = useState(false);
  const [leftOut, setLeftOut] = useState<string[]>([]);
  const request = { paths: [path], format: null, subagents, left_out: leftOut };
  const report = useQuery({
    queryKey: keys.dryRun(path, subagents, leftOut),
    queryFn: () => backend().dryRun(request),
    // A log grows: every look is a new one.
    gcTime: 0,
    placeholderData: (held) => held,
  });
  const watch = useMutation({
    mutationFn: () => backend().watchFolder(request),
    onSuccess: () => {
      toast(words.started(path));
      void client.invalidateQueries({ queryKey: keys.sources });
      void client.invalidateQueries({ queryKey: keys.folders });
      void client.invalidateQueries({ queryKey: keys.status });
      onDone();
    },
    onError: failed,
  });
  const found = report.data;
  return (
    <Panel
      title={words.dryTitle(path)}
      actions={
        <Button variant="quiet" aria-label={text.common.close} onPress={onDone}>
          ×
        </Button>
      }
    >
      {report.isPending && <Progress label={words.looking} value={0} total={null} />}
      {report.isError && (
        <>
          <p role="alert">{sentenceOf(report.error)}</p>
          <div className={css.actions}>
            <Button onPress={() => void report.refetch()}>{text.common.retry}</Button>
          </div>
        </>
      )}
      {found && !report.isError && (
        <div className={css.report} aria-busy={report.isFetching} aria-live="polite">
          <p className={css.lead}>{found.stored === 0 ? words.nothing : words.dryLead}</p>
          <Facts report={found} />
          <Projects projects={found.projects} leftOut={leftOut} onChange={setLeftOut} />
          <Breakdown title={words.formats} values={found.formats} />
          {Object.keys(found.skipped).length > 0 ? (
            <div>
              <h3>{words.skipped}</h3>
              <LeftOut skipped={found.skipped} />
            </div>
          ) : null}
          <Breakdown title={words.leftAlone} values={found.left_alone} />
          <Breakdown title={words.notes} values={found.notes} />
          {Object.keys(found.mappings).length > 0 && (
            <div>
              <h3>{words.mappings}</h3>
              {Object.entries(found.mappings).map(([format, mapping]) => (
                <p key={format} className={css.mapping}>
                  <b>{format}</b> {mapping}
                </p>
              ))}
            </div>
          )}
          {found.error_count > 0 && (
            <details>
              <summary>{`${words.firstErrors} (${text.common.number(found.error_count)})`}</summary>
              <ErrorTable errors={found.errors} />
            </details>
          )}
          <div>
            <Switch isSelected={subagents} onChange={setSubagents}>
              {words.subagents}
            </Switch>
            <p className={css.hint}>{words.subagentsHint}</p>
          </div>
          <div className={css.actions}>
            <Button variant="primary" onPress={() => watch.mutate()} isPending={watch.isPending}>
              {found.stored === 0
                ? words.startAnyway
                : words.start(text.common.number(found.stored))}
            </Button>
            <Button onPress={onDone}>{text.common.cancel}</Button>
          </div>
        </div>
      )}
    </Panel>
  );
}

function Facts({ report }: { report: IngestReport }) {
  const names = text.sources.dryFacts;
  const facts: [string, string][] = [
    [names.files, text.common.number(report.files)],
    [names.size, text.common.bytes(Number(report.bytes))],
    [names.records, text.common.number(report.records)],
    [names.stored, text.common.number(report.stored)],
  ];
  return (
    <dl className={css.facts}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Breakdown({ title, values }: { title: string; values: Record<string, number> }) {
  const entries = Object.entries(values).sort((a, b) => b[1] - a[1]);
  if (entries.length === 0) return null;
  return (
    <p className={css.breakdown}>
      <b>{title}</b>
      {entries.map(([name, count]) => (
        <span key={name}>
          {name} <i>{text.common.number(count)}</i>
        </span>
      ))}
    </p>
  );
}
