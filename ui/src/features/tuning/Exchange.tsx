/** Judgements and runs in the forms of TREC, in and out. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../components/Button';
import { copy } from '../../components/CopyNumber';
import { failed, sentenceOf } from '../../components/failure';
import { Select, TextField } from '../../components/fields';
import { toast } from '../../components/Toast';
import { backend } from '../../ipc/backend';
import type { Constants, Stage } from '../../ipc/bindings';
import { keys } from '../../ipc/keys';
import { xray } from '../../locales/en/xray';
import { STAGES } from '../../trace/model';
import { useXray } from '../xray/store';
import css from './Lab.module.css';
import { TextFile } from './TextFile';

const t = xray.exchange;

export function Exchange({ preset }: { preset: Constants }) {
  return (
    <div className={css.columns}>
      <Import />
      <Export preset={preset} />
    </div>
  );
}

function Import() {
  const [qrels, setQrels] = useState('');
  const [topics, setTopics] = useState('');
  const client = useQueryClient();
  const store = useMutation({
    mutationFn: () => backend().importQrels({ qrels, topics }),
    onSuccess: () => void client.invalidateQueries({ queryKey: keys.golden }),
  });
  return (
    <div className={css.column}>
      <TextField label={t.qrels} value={qrels} onChange={setQrels} rows={4} />
      <TextFile label={t.file} onText={setQrels} />
      <TextField
        label={t.topics}
        value={topics}
        onChange={setTopics}
        rows={3}
        description={t.topicsHelp}
      />
      <TextFile label={t.topicsFile} onText={setTopics} />
      <div>
        <Button
          isDisabled={qrels.trim() === ''}
          isPending={store.isPending}
          onPress={() => store.mutate()}
        >
          {t.import}
        </Button>
      </div>
      <div role="status" className={css.said}>
        {store.error ? <p data-bad>{sentenceOf(store.error)}</p> : null}
        {store.data ? (
          <>
            <p>{t.imported(store.data.judged)}</p>
            {store.data.unknown_queries.length > 0 ? (
              <p>{t.unknownQueries(store.data.unknown_queries.join(', '))}</p>
            ) : null}
            {store.data.unknown_memories.length > 0 ? (
              <p>{t.unknownMemories(store.data.unknown_memories.join(', '))}</p>
            ) : null}
          </>
        ) : null}
      </div>
    </div>
  );
}

const RANKING: readonly Stage[] = STAGES.filter((stage) => stage !== 'route');

function Export({ preset }: { preset: Constants }) {
  const { constants, now } = useXray('constants', 'now');
  const [stage, setStage] = useState<Stage>('select');
  const [text, setText] = useState('');
  const put = (exported: string) => {
    setText(exported);
    if (exported.trim() === '') toast(t.nothing);
  };
  const qrels = useMutation({
    mutationFn: () => backend().exportQrels(),
    onSuccess: (exported) => put(exported.qrels),
    onError: failed,
  });
  const topics = useMutation({
    mutationFn: () => backend().exportQrels(),
    onSuccess: (exported) => put(exported.topics),
    onError: failed,
  });
  const run = useMutation({
    mutationFn: () => backend().exportRun({ stage, constants: constants ?? preset, now }),
    onSuccess: put,
    onError: failed,
  });
  const toClipboard = async () => toast((await copy(text)) ? t.copied : t.refused);
  return (
    <div className={css.column}>
      <div className={css.controls}>
        <Button isPending={qrels.isPending} onPress={() => qrels.mutate()}>
          {t.exportQrels}
        </Button>
        <Button isPending={topics.isPending} onPress={() => topics.mutate()}>
          {t.exportTopics}
        </Button>
      </div>
      <div className={css.controls}>
        <Select
          label={t.stage}
          value={stage}
          choices={RANKING.map((name) => ({ id: name, label: name }))}
          onChange={(name) => setStage(name as Stage)}
        />
        <Button isPending={run.isPending} onPress={() => run.mutate()}>
          {t.exportRun}
        </Button>
      </div>
      {text === '' ? null : (
        <>
          <TextField label={t.output} value={text} onChange={setText} rows={8} />
          <div>
            <Button onPress={() => void toClipboard()}>{t.copy}</Button>
          </div>
        </>
      )}
    </div>
  );
}
