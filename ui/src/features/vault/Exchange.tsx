/** Memories out of the vault as a file, and an archive's memories into it. */
import { useState } from 'react';
import { Button } from '../../components/Button';
import { CopyNumber } from '../../components/CopyNumber';
import { sentenceOf } from '../../components/failure';
import { Panel } from '../../components/Page';
import { Progress } from '../../components/Progress';
import { backend } from '../../ipc/backend';
import type { ExportForm, ExportView } from '../../ipc/bindings';
import { text } from '../../locales/en';
import { PLACES } from '../../shell/book';
import { HelpMark } from '../../shell/HelpMark';
import { Segmented } from '../xray/Segmented';
import { useAct } from './act';
import css from './Copies.module.css';
import { ImportDialog } from './ImportDialog';

const words = text.vault.exchange;

const ENDINGS: Record<ExportForm, string> = { archive: 'tar', jsonl: 'jsonl', markdown: 'md' };

export function Exchange({ demo }: { demo: boolean }) {
  const act = useAct();
  const [form, setForm] = useState<ExportForm>(demo ? 'jsonl' : 'archive');
  const [written, setWritten] = useState<ExportView | null>(null);
  const [importing, setImporting] = useState(false);
  const forms = (Object.keys(ENDINGS) as ExportForm[]).filter((id) => !demo || id !== 'archive');
  const write = () =>
    void act.run(async () => {
      const name = `${words.name}.${ENDINGS[form]}`;
      const path = await backend().pickPlace(words.exportTitle, name);
      if (path === null) return;
      setWritten(null);
      setWritten(await backend().exportMemories(path, form));
    });
  return (
    <Panel title={words.title} mark={<HelpMark place={PLACES.exchange} about={words.title} />}>
      <p>{words.lead}</p>
      <div>
        <Segmented
          label={words.form}
          value={form}
          choices={forms.map((id) => [id, words.forms[id]] as const)}
          onChange={setForm}
        />
      </div>
      <p className={css.form} data-plain={form !== 'archive' || undefined}>
        {words.hints[form]} {form !== 'archive' && words.plain}
      </p>
      <div className={css.actions}>
        <Button onPress={write} isDisabled={act.pending}>
          {words.export}
        </Button>
        {!demo && <Button onPress={() => setImporting(true)}>{words.import}</Button>}
      </div>
      {demo && <p>{words.demo}</p>}
      {act.pending && <Progress label={words.working} value={0} total={null} />}
      <div className={css.result} role="status">
        {act.error !== null && <p className={css.warning}>{sentenceOf(act.error)}</p>}
        {written && !act.pending && (
          <>
            <p>
              {words.written(written.memories)}{' '}
              <CopyNumber shown={written.file} label={words.title} />
            </p>
            {written.unreadable > 0 && <p>{words.unreadable(written.unreadable)}</p>}
          </>
        )}
      </div>
      <ImportDialog isOpen={importing} onClose={() => setImporting(false)} />
    </Panel>
  );
}
