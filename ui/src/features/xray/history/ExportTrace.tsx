/** A trace as a file: all of it, or for a bug report without any text. What is written is shown. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../../components/Button';
import { Dialog } from '../../../components/Dialog';
import { failed, sentenceOf } from '../../../components/failure';
import { Switch } from '../../../components/fields';
import { toast } from '../../../components/Toast';
import { backend } from '../../../ipc/backend';
import type { ExportTraceRequest } from '../../../ipc/bindings';
import { keys } from '../../../ipc/keys';
import { xray } from '../../../locales/en/xray';
import { Segmented } from '../Segmented';
import css from './ExportTrace.module.css';

const t = xray.history.export;

export function ExportTrace({
  trace,
  onClose,
}: {
  trace: ExportTraceRequest['trace'] | null;
  onClose: () => void;
}) {
  return (
    <Dialog title={t.title} isOpen={trace !== null} onClose={onClose} isWide>
      {trace ? <Choice trace={trace} onClose={onClose} /> : null}
    </Dialog>
  );
}

/** Characters of the file that are shown; it is the same further down. */
const PREVIEWED = 20_000;

function Choice({ trace, onClose }: { trace: ExportTraceRequest['trace']; onClose: () => void }) {
  const [kind, setKind] = useState('redacted');
  const [query, setQuery] = useState(false);
  const [ids, setIds] = useState(false);
  const request: ExportTraceRequest = {
    trace,
    redacted: kind === 'redacted' ? { query, keep_ids: ids } : null,
  };
  const preview = useQuery({
    queryKey: keys.exportedTrace(request),
    queryFn: () => backend().exportTrace(request),
    gcTime: 0,
  });
  const save = async () => {
    try {
      const name = kind === 'redacted' ? t.redactedName : t.fileName;
      const path = await backend().pickPlace(t.saveTitle, name);
      if (path === null) return;
      const saved = await backend().saveTrace(request, path);
      toast(t.saved(saved.path));
      onClose();
    } catch (error) {
      failed(error);
    }
  };
  return (
    <div className={css.choice}>
      <Segmented
        label={t.kind}
        value={kind}
        choices={[
          ['redacted', t.redacted],
          ['whole', t.whole],
        ]}
        onChange={setKind}
      />
      <p className={css.help}>{kind === 'redacted' ? t.redactedHelp : t.wholeHelp}</p>
      {kind === 'redacted' ? (
        <div className={css.ticks}>
          <Switch isSelected={query} onChange={setQuery}>
            {t.query}
          </Switch>
          <Switch isSelected={ids} onChange={setIds}>
            {t.ids}
          </Switch>
          <small>{t.idsHelp}</small>
        </div>
      ) : null}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <section className={css.preview} aria-label={t.preview} tabIndex={0}>
        <pre>
          {preview.error
            ? sentenceOf(preview.error)
            : (preview.data?.slice(0, PREVIEWED) ?? xray.history.loading)}
        </pre>
      </section>
      <div className={css.actions}>
        <small>{t.preview}</small>
        <Button onPress={onClose}>{xray.query.cancel}</Button>
        <Button variant="primary" isDisabled={!preview.data} onPress={() => void save()}>
          {t.save}
        </Button>
      </div>
    </div>
  );
}
