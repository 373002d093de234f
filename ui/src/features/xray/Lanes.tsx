/** What stands beside the memories of a query: past research, and documents. Never mixed with them. */
import { Highlighted } from '../../components/Highlighted';
import type { DocumentLookup, LaneTexts, MemoryLookup, Status, Trace } from '../../ipc/types';
import { xray } from '../../locales/en/xray';
import { duration, exact, score } from './format';
import css from './Lanes.module.css';
import { useXray, xrayStore } from './store';

const t = xray.lanes;

/** A lane has something to say when it found something, or could not look. */
function speaks(lane: { status: Status; hits: unknown[] } | null): boolean {
  return lane !== null && (lane.hits.length > 0 || trouble(lane.status) !== null);
}

function trouble(status: Status): string | null {
  if (status === 'failed') return t.failed;
  return status === 'degraded' ? t.degraded : null;
}

/** How many hits both lanes have; null when there is nothing to show. */
export function besideCount({ lanes }: Trace): number | null {
  const all = [lanes.memory_lookup, lanes.documents];
  if (!all.some(speaks)) return null;
  return all.reduce((sum, lane) => sum + (lane?.hits.length ?? 0), 0);
}

/** The finding of the research lane in a sentence. */
export function researchSentence(lane: MemoryLookup): string {
  if (lane.status === 'failed') return lane.reason ?? t.failed;
  if (lane.hits.length === 0) return t.noneSimilar(lane.entries);
  return t.found(lane.matched, lane.hits.filter((hit) => hit.injected).length);
}

/** The finding of the documents lane in a sentence. */
export function documentsSentence(lane: DocumentLookup, texts: LaneTexts | null): string {
  const best = lane.hits[0];
  if (!best) return lane.reason ?? t.noneFound(lane.documents);
  const title = texts?.chunks[best.id]?.title || best.document;
  return t.best(title, best.chunk + 1, best.chunks);
}

/** Two cards below the stages; absent while both lanes are silent. */
export function LaneCards() {
  const { view, lanes: texts, tab } = useXray('view', 'lanes', 'tab');
  if (!view || besideCount(view.trace) === null) return null;
  const { memory_lookup: research, documents } = view.trace.lanes;
  return (
    <section className={css.cards} aria-label={t.label}>
      {research && speaks(research) ? (
        <Card
          name={t.research}
          lane={research}
          sentence={researchSentence(research)}
          figures={
            research.hits.length > 0
              ? t.spared(research.tokens, research.naive_tokens)
              : t.compared(research.entries)
          }
          isOpen={tab === 'beside'}
        />
      ) : null}
      {documents && speaks(documents) ? (
        <Card
          name={t.documents}
          lane={documents}
          sentence={documentsSentence(documents, texts)}
          figures={t.hits(documents.hits.length, documents.tokens)}
          isOpen={tab === 'beside'}
        />
      ) : null}
    </section>
  );
}

interface CardProps {
  name: string;
  lane: { status: Status; reason: string | null; elapsed_ms: number };
  sentence: string;
  figures: string;
  isOpen: boolean;
}

function Card({ name, lane, sentence, figures, isOpen }: CardProps) {
  const problem = trouble(lane.status);
  return (
    <button
      type="button"
      className={css.card}
      data-status={lane.status}
      aria-pressed={isOpen}
      title={lane.reason ?? sentence}
      onClick={() => xrayStore().set({ tab: isOpen ? 'results' : 'beside' })}
    >
      <b>{name}</b>
      {problem ? <em>{problem}</em> : null}
      <span className={css.sentence}>{sentence}</span>
      <span className={css.figures}>{figures}</span>
      <time>{duration(lane.elapsed_ms)}</time>
    </button>
  );
}

/** Both lanes in full. */
export function BesidePanel() {
  const { view, lanes: texts } = useXray('view', 'lanes');
  if (!view) return null;
  const { memory_lookup: research, documents } = view.trace.lanes;
  if (besideCount(view.trace) === null) {
    return (
      <p className={css.none}>
        {t.none} <small>{t.how}</small>
      </p>
    );
  }
  return (
    <div className={css.panel}>
      {research && speaks(research) ? <Research lane={research} texts={texts} /> : null}
      {documents && speaks(documents) ? <Documents lane={documents} texts={texts} /> : null}
    </div>
  );
}

function Research({ lane, texts }: { lane: MemoryLookup; texts: LaneTexts | null }) {
  return (
    <section>
      <h2>{researchSentence(lane)}</h2>
      <p className={css.note}>{t.spared(lane.tokens, lane.naive_tokens)}</p>
      <ol className={css.list} aria-label={t.researchList}>
        {lane.hits.map((hit) => {
          const entry = texts?.research[hit.key];
          return (
            <li key={hit.key}>
              <h3>{entry?.query ?? hit.key}</h3>
              <p className={css.facts}>
                <span title={exact(hit.similarity)}>{t.similarity(score(hit.similarity))}</span>
                {` · ${t.tokens(hit.tokens)} · ${hit.injected ? t.injected : t.reported}`}
              </p>
              {entry ? (
                <>
                  <p className={css.text}>{entry.cut ? `${entry.findings}…` : entry.findings}</p>
                  {entry.sources.length > 0 ? (
                    <ul className={css.sources} aria-label={t.sources}>
                      {entry.sources.map((source) => (
                        <li key={source.url}>
                          {source.title || source.url}
                          {source.credibility === null ? null : <i> · {source.credibility}</i>}
                        </li>
                      ))}
                    </ul>
                  ) : null}
                </>
              ) : null}
            </li>
          );
        })}
      </ol>
      {texts && texts.research_block !== '' ? (
        <details className={css.block}>
          <summary>{t.block}</summary>
          <pre>{texts.research_block}</pre>
        </details>
      ) : null}
    </section>
  );
}

function Documents({ lane, texts }: { lane: DocumentLookup; texts: LaneTexts | null }) {
  return (
    <section>
      <h2>{documentsSentence(lane, texts)}</h2>
      {lane.reason ? <p className={css.note}>{lane.reason}</p> : null}
      <ol className={css.list} aria-label={t.documentList}>
        {lane.hits.map((hit) => {
          const chunk = texts?.chunks[hit.id];
          return (
            <li key={hit.id}>
              <h3>{chunk?.title || hit.document}</h3>
              <p className={css.facts}>
                {`${t.chunk(hit.chunk + 1, hit.chunks)} · ${t.places(hit.knn_rank, hit.bm25_rank)} · `}
                <span title={exact(hit.score)}>{score(hit.score)}</span>
                {` · ${t.tokens(hit.tokens)}`}
              </p>
              {chunk ? (
                <p className={css.text}>
                  <Highlighted text={chunk.snippet} marks={chunk.highlights} />
                </p>
              ) : null}
            </li>
          );
        })}
      </ol>
    </section>
  );
}
