import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button } from '../../components/Button';
import { CopyNumber } from '../../components/CopyNumber';
import { failed } from '../../components/failure';
import { Column, Columns, Page, Panel } from '../../components/Page';
import { Progress } from '../../components/Progress';
import type { StatusView } from '../../ipc/bindings';
import { useLock, useStatus } from '../../ipc/hooks';
import { keys } from '../../ipc/keys';
import { text } from '../../locales/en';
import { PLACES } from '../../shell/book';
import { HelpMark } from '../../shell/HelpMark';
import { LockAfter } from '../settings/LockAfter';
import { Backup } from './Backup';
import { Exchange } from './Exchange';
import { Health } from './Health';
import { Latency } from './Latency';
import { Proof } from './Proof';
import { Storage } from './Storage';
import css from './VaultSection.module.css';
import { WhatOpens } from './WhatOpens';

/** Where the data lives, whether it is well, and how to close it and keep a copy. */
export function VaultSection() {
  const status = useStatus();
  const words = text.vault;
  const lock = useMutation({ mutationFn: useLock(), onError: failed });
  const client = useQueryClient();
  if (!status.data) return null;
  const view = status.data;
  const refresh = () => {
    for (const queryKey of [keys.status, keys.slots, keys.filesOnDisk, keys.storage]) {
      void client.invalidateQueries({ queryKey });
    }
  };
  return (
    <Page
      title={words.title}
      lead={view.demo ? words.demoNote : undefined}
      actions={
        <>
          <Button onPress={refresh}>{words.refresh}</Button>
          <Button variant="primary" onPress={() => lock.mutate()} isPending={lock.isPending}>
            {view.demo ? words.leaveDemo : words.lock}
          </Button>
        </>
      }
    >
      <Columns>
        <Column>
          <Panel title={words.where} mark={<HelpMark place={PLACES.folders} about={words.where} />}>
            <p>{words.whereText}</p>
            <p className={css.folder}>
              <CopyNumber shown={view.folder} label={words.where} />
            </p>
            <dl className={css.files}>
              <dt>vault.db</dt>
              <dd>{words.vaultFile}</dd>
              <dt>vault.keys</dt>
              <dd>{words.keysFile}</dd>
            </dl>
          </Panel>
          <WhatOpens demo={view.demo} folder={view.folder} />
          <Health demo={view.demo} damaged={view.damaged} />
          <Backup demo={view.demo} />
          <Exchange demo={view.demo} />
          <Locking />
          <Versions view={view} />
        </Column>
        <Column>
          <Proof />
          <Storage />
          <Embeddings view={view} />
          <Latency />
          <Tables view={view} />
        </Column>
      </Columns>
    </Page>
  );
}

function Locking() {
  return (
    <Panel title={text.vault.locking.title}>
      <p>{text.vault.locking.text}</p>
      <LockAfter />
    </Panel>
  );
}

function Embeddings({ view }: { view: StatusView }) {
  const words = text.vault;
  const { model } = view;
  const names = words.models;
  return (
    <Panel title={words.embedding} mark={<HelpMark place={PLACES.model} about={words.embedding} />}>
      <Progress
        label={words.embedding}
        value={view.embedded}
        total={Math.max(1, view.embeddable)}
        note={words.embedded(
          text.common.number(view.embedded),
          text.common.number(view.embeddable),
        )}
      />
      <p>
        {words.model}:{' '}
        {model.state === 'ready' ? names.ready(model.id, model.dimension) : names[model.state]}
      </p>
      {view.vectors_of !== null && <p className={css.quiet}>{words.vectorsOf(view.vectors_of)}</p>}
      {'reason' in model && <p className={css.quiet}>{model.reason}</p>}
    </Panel>
  );
}

function Tables({ view }: { view: StatusView }) {
  const words = text.vault;
  return (
    <Panel title={words.inside}>
      <table className={css.table}>
        <thead>
          <tr>
            <th scope="col">{words.table}</th>
            <th scope="col">{words.rows}</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(view.tables).map(([name, rows]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{text.common.number(rows)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}

function Versions({ view }: { view: StatusView }) {
  const words = text.vault;
  const rows: [string, string][] = [
    [words.program, view.version],
    [words.schema, String(view.schema)],
    ...Object.entries(view.libraries),
  ];
  return (
    <Panel title={words.versions}>
      <table className={css.table}>
        <tbody>
          {rows.map(([name, version]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>
                <CopyNumber shown={version} label={name} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}
