/** One stage in full: what it decided, the constants in force, its ranked list. */
import { Button } from '../components/Button';
import type { Stage } from '../ipc/bindings';
import { xray } from '../locales/en/xray';
import { stageOf } from '../trace/model';
import { factsOfStage } from '../words/constants';
import type { StageContext } from './context';
import { Breaker } from './rerank/Breaker';
import { RouteTerms } from './route/RouteTerms';
import css from './StageDetail.module.css';
import { StageTable } from './StageList';
import { stageSentence } from './sentences';
import { Expansion } from './sparse/Expansion';

const t = xray.stages;

export interface StageDetailProps {
  stage: Stage;
  context: StageContext;
  expected: string | null;
  open: string | null;
  nameOf: (id: string) => string;
  onOpen: (id: string) => void;
  onClose: () => void;
}

export function StageDetail(props: StageDetailProps) {
  const { stage, context } = props;
  const part = stageOf(context.trace, stage);
  const facts = factsOf(stage, context);
  return (
    <section className={css.detail} aria-label={t.detail(t.names[stage])}>
      <header className={css.head}>
        <div>
          <h2>
            {t.names[stage]}
            <span>{t.meaning[stage]}</span>
          </h2>
          <p>{stageSentence(stage, context)}</p>
          {stage === 'rerank' && context.trace.constants.rerank === 'http' ? <Breaker /> : null}
        </div>
        <Button variant="quiet" onPress={props.onClose} aria-label={xray.memory.close}>
          ✕
        </Button>
      </header>
      {facts.length > 0 ? (
        <dl className={css.facts} aria-label={t.constants}>
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      ) : null}
      {part.notes.length > 0 ? (
        <ul className={css.notes} aria-label={t.notes}>
          {part.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      ) : null}
      {stage === 'sparse' ? <Expansion words={context.trace.expansion ?? []} /> : null}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard. */}
      <section className={css.scroll} tabIndex={0} aria-label={t.list(t.names[stage])}>
        {stage === 'route' ? (
          <RouteTerms terms={context.trace.terms} />
        ) : part.items.length === 0 ? (
          <p className={css.empty}>{part.reason ?? t.empty}</p>
        ) : (
          <StageTable
            stage={part}
            expected={props.expected}
            open={props.open}
            nameOf={props.nameOf}
            onOpen={props.onOpen}
          />
        )}
      </section>
    </section>
  );
}

/** The constants in force, and what else shaped this stage. */
function factsOf(stage: Stage, { trace }: StageContext): Array<[string, string]> {
  const facts = factsOfStage(stage, trace.constants);
  if (stage === 'route') {
    facts.push([xray.query.mode, trace.mode], [t.ran, trace.effective_mode]);
  }
  if (stage === 'knn' && trace.model) {
    facts.push([t.model, trace.model.id], [t.dimension, String(trace.model.dimension)]);
  }
  return facts;
}
