/** The mark of what an agent's answer made of a memory, and the evidence for it. */
import { Button } from '../../../components/Button';
import type { MemoryUseView, StoredTraceView, UseVerdict } from '../../../ipc/bindings';
import { xray } from '../../../locales/en/xray';
import { xrayStore } from '../store';
import css from './UseMark.module.css';
import { evidence, useUsage } from './usage';

const t = xray.history.usage;

/** Colour is never the only sign. */
const GLYPHS: Record<UseVerdict, string> = {
  used: '✓',
  ignored: '–',
  contradicted: '≠',
  unclear: '~',
  known: '=',
  unseen: '…',
  gone: '×',
};

/** One word; the evidence is said when the pointer rests on it. */
export function UseMark({ use }: { use: MemoryUseView }) {
  return (
    <b className={css.mark} data-verdict={use.verdict} title={evidence(use).join('. ')}>
      <span aria-hidden="true">{GLYPHS[use.verdict]}</span> {t.verdict[use.verdict]}
    </b>
  );
}

/** The whole evidence, beside the memory's text. */
export function UseSection(props: {
  stored: StoredTraceView;
  id: string;
  className: string | undefined;
}) {
  const use = useUsage(props.stored).get(props.id);
  if (!use) return null;
  const { answer } = use;
  return (
    <section className={props.className} aria-label={t.title}>
      <h3>
        {t.title}: <UseMark use={use} />
      </h3>
      <ul className={css.evidence}>
        {evidence(use).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
        {use.cosine === null ? null : <li>{t.cosine(use.cosine)}</li>}
      </ul>
      <p className={css.help}>{t.help}</p>
      {answer === null ? null : (
        <Button variant="quiet" onPress={() => xrayStore().openMemory(answer)}>
          {t.open}
        </Button>
      )}
    </section>
  );
}
