/** Encrypted copies of the vault, and the way back from one. */
import { useState } from 'react';
import { Button } from '../../components/Button';
import { CopyNumber } from '../../components/CopyNumber';
import { sentenceOf } from '../../components/failure';
import { Select } from '../../components/fields';
import { Panel } from '../../components/Page';
import { Progress } from '../../components/Progress';
import { backend } from '../../ipc/backend';
import type { BackupView } from '../../ipc/bindings';
import { text } from '../../locales/en';
import { PLACES } from '../../shell/book';
import { HelpMark } from '../../shell/HelpMark';
import { useAct } from './act';
import css from './Copies.module.css';
import { RestoreDialog } from './RestoreDialog';

const words = text.vault.copies;

/** In the order in which they are offered; `0` keeps all. */
const KEEPS = ['0', '3', '10', '30'] as const;

export function Backup({ demo }: { demo: boolean }) {
  const act = useAct();
  const [keep, setKeep] = useState<string>('0');
  const [written, setWritten] = useState<BackupView | null>(null);
  const [restoring, setRestoring] = useState(false);
  const write = (choose: () => Promise<string | null>, kept: number | null) =>
    void act.run(async () => {
      const path = await choose();
      if (path === null) return;
      setWritten(null);
      setWritten(await backend().backUp(path, kept));
    });
  if (demo) {
    return (
      <Panel title={words.title} mark={<HelpMark place={PLACES.copies} about={words.title} />}>
        <p>{words.demo}</p>
      </Panel>
    );
  }
  return (
    <Panel title={words.title} mark={<HelpMark place={PLACES.copies} about={words.title} />}>
      <p>{words.lead}</p>
      <div className={css.actions}>
        <Button
          onPress={() => write(() => backend().pickPlace(words.fileTitle, words.name), null)}
          isDisabled={act.pending}
        >
          {words.toFile}
        </Button>
        <Button
          onPress={() =>
            write(() => backend().pickFolder(words.folderTitle), keep === '0' ? null : Number(keep))
          }
          isDisabled={act.pending}
        >
          {words.toFolder}
        </Button>
        <div className={css.keep}>
          <Select
            label={words.keep}
            value={keep}
            choices={KEEPS.map((id) => ({ id, label: words.keeps[id] ?? id }))}
            onChange={setKeep}
          />
        </div>
      </div>
      {act.pending && <Progress label={words.working} value={0} total={null} />}
      <div className={css.result} role="status">
        {act.error !== null && <p className={css.warning}>{sentenceOf(act.error)}</p>}
        {written && !act.pending && <Written view={written} />}
      </div>
      <div className={css.actions}>
        <Button onPress={() => setRestoring(true)}>{words.restore}</Button>
      </div>
      <RestoreDialog isOpen={restoring} hasVault onClose={() => setRestoring(false)} />
    </Panel>
  );
}

function Written({ view }: { view: BackupView }) {
  return (
    <>
      <p>
        {words.written(view.memories)} <CopyNumber shown={view.file} label={words.title} />
      </p>
      {view.removed.length > 0 && <p>{words.removed(view.removed.length)}</p>}
    </>
  );
}
