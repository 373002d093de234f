/** What stands beside the memories of a query: past research, and documents. Never mixed with them. */
import type { ReactNode } from 'react';
import { Highlighted } from '../../components/Highlighted';
import type { DocumentLookup, LaneTexts, MemoryLookup, Status, Trace } from '../../ipc/bindings';
import { duration, exact, score } from '../../locales/en/format';
import { xray } from '../../locales/en/xray';
import css from './Lanes.module.css';
import { useXray, xrayStore } from './store';

const t = xray.lanes;

/**
 * A lane is shown for every query as soon as the vault holds anything of its kind: were it shown for
 * hits only, each answer would push what is below it up or down.
 */
function shown<L extends MemoryLookup | DocumentLookup>(lane: L | null | undefined): L | null {
  if (!lane) return null;
  const held = 'entries' in lane ? lane.entries : lane.documents;
  return held > 0 || trouble(lane.status) !== null ? lane : null;
}

function shownLanes({ lanes }: Trace) {
  return { research: shown(lanes?.memory_lookup), documents: shown(lanes?.documents) };
}

function trouble(status: Status): string | null {
  if (status === 'failed') return t.failed;
  return status === 'degraded' ? t.degraded : null;
}

/** How many hits both lanes have; null when neither is shown. */
export function besideCount(trace: Trace): number | null {
  const { research, documents } = shownLanes(trace);
  if (!research && !documents) return null;
  return (research?.hits.length ?? 0) + (documents?.hits.length ?? 0);
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

/** A card per lane below the stages. */
export function LaneCards() {
  const { view, lanes: texts, tab } = useXray('view', 'lanes', 'tab');
  if (!view) return null;
  const { research, documents } = shownLanes(view.trace);
  if (!research && !documents) return null;
  return (
    <section className={css.cards} aria-label={t.label}>
      {research ? (
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
      {documents ? (
        <Card
          name={t.documents}
          lane={documents}
          sentence={documentsSentence(documents, texts)}
          figures={
            documents.hits.length > 0
              ? t.hits(documents.hits.length, documents.tokens)
              : t.searched(documents.documents)
          }
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
  const { research, documents } = shownLanes(view.trace);
  if (!research && !documents) {
    return (
      <p className={css.none}>
        {t.none} <small>{t.how}</small>
      </p>
    );
  }
  return (
    <div className={css.panel}>
      {research ? <Research lane={research} texts={texts} /> : null}
      {documents ? <Documents lane={documents} texts={texts} /> : null}
    </div>
  );
}

function Research({ lane, texts }: { lane: MemoryLookup; texts: LaneTexts | null }) {
  return (
    <section>
      <h2>{researchSentence(lane)}</h2>
      {lane.hits.length > 0 ? (
        <p className={css.note}>{t.spared(lane.tokens, lane.naive_tokens)}</p>
      ) : null}
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
      <Missed label={t.missedResearch}>
        {lane.near_misses?.map((miss) => (
          <li key={miss.key}>
            {`${texts?.research[miss.key]?.query ?? miss.key} · `}
            <span title={exact(miss.similarity)}>{t.similarity(score(miss.similarity))}</span>
          </li>
        ))}
      </Missed>
    </section>
  );
}

/** What a slider would let in. */
function Missed({ label, children }: { label: string; children: ReactNode[] | undefined }) {
  if (!children || children.length === 0) return null;
  return (
    <details className={css.missed}>
      <summary>{`${t.missed} · ${children.length}`}</summary>
      <ol aria-label={label}>{children}</ol>
    </details>
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
      <Missed label={t.missedDocuments}>
        {lane.near_misses?.map((miss) => (
          <li key={miss.id}>
            {[
              texts?.chunks[miss.id]?.title || miss.document,
              t.chunk(miss.chunk + 1, miss.chunks),
              miss.rank === null ? null : t.next(miss.rank),
              miss.cosine === null ? null : t.cosine(score(miss.cosine)),
            ]
              .filter((part) => part !== null)
              .join(' · ')}
          </li>
        ))}
      </Missed>
    </section>
  );
}
