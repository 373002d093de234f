/** Which reranker is used, and setting one up. What goes wrong is said beside what was typed. */
import { useState } from 'react';
import { Form } from 'react-aria-components/Form';
import { Button } from '../../components/Button';
import { failed, sentenceOf } from '../../components/failure';
import { Select, Switch, TextField } from '../../components/fields';
import { Panel } from '../../components/Page';
import { toast } from '../../components/Toast';
import { backend } from '../../ipc/backend';
import type { RerankBackend, RerankersView, RerankServiceView } from '../../ipc/bindings';
import { useForgetRemote, useRerankers, useUseReranker } from '../../ipc/rerankers';
import { text } from '../../locales/en';
import { PLACES } from '../../shell/book';
import { HelpMark } from '../../shell/HelpMark';
import { xrayStore } from '../xray/store';
import css from './RerankerPanel.module.css';

const words = text.reranker;
const ORDER: readonly RerankBackend[] = ['embedded', 'cross_encoder', 'http', 'off'];

export function RerankerPanel() {
  const rerankers = useRerankers(false);
  const [looking, setLooking] = useState<RerankBackend | null>(null);
  if (!rerankers.data) return null;
  const view = rerankers.data;
  const shown = looking ?? view.backend;
  return (
    <Panel title={words.title} mark={<HelpMark place={PLACES.reranker} about={words.title} />}>
      <p>{words.lead}</p>
      <Select
        label={words.label}
        value={shown}
        choices={ORDER.map((id) => ({
          id,
          label:
            id === view.backend ? `${words.backends[id]} (${words.inUse})` : words.backends[id],
        }))}
        onChange={(id) => setLooking(id as RerankBackend)}
        description={words.hints[shown]}
      />
      <SetUp key={shown} backend={shown} view={view} onTaken={() => setLooking(null)} />
    </Panel>
  );
}

function SetUp(props: { backend: RerankBackend; view: RerankersView; onTaken: () => void }) {
  const { backend: chosen, view, onTaken } = props;
  if (chosen === 'cross_encoder') return <CrossEncoder view={view} onTaken={onTaken} />;
  if (chosen === 'http') return <HttpForm view={view} onTaken={onTaken} />;
  return <Plain chosen={chosen} inUse={chosen === view.backend} onTaken={onTaken} />;
}

/** Takes a reranker into use; the query that stands is asked again with it. */
function useTake(onTaken: () => void) {
  const use = useUseReranker();
  return {
    pending: use.isPending,
    error: use.error ? sentenceOf(use.error) : null,
    take: (request: Parameters<typeof use.mutate>[0]) =>
      use.mutate(request, {
        onSuccess: () => {
          toast(words.taken(words.backends[request.backend]));
          xrayStore().rerankWith(request.backend);
          onTaken();
        },
      }),
  };
}

function Plain(props: { chosen: RerankBackend; inUse: boolean; onTaken: () => void }) {
  const { take, pending, error } = useTake(props.onTaken);
  return (
    <>
      {props.inUse ? null : (
        <div className={css.actions}>
          <Button
            variant="primary"
            isPending={pending}
            onPress={() => take({ backend: props.chosen })}
          >
            {words.take}
          </Button>
        </div>
      )}
      <Trouble error={error} />
    </>
  );
}

function CrossEncoder({ view, onTaken }: { view: RerankersView; onTaken: () => void }) {
  const held = view.cross_encoder;
  const [folder, setFolder] = useState(held?.folder ?? '');
  const { take, pending, error } = useTake(onTaken);
  const browse = async () => {
    try {
      const picked = await backend().pickFolder(words.browseTitle);
      if (picked !== null) setFolder(picked);
    } catch (problem) {
      failed(problem);
    }
  };
  return (
    <Form
      className={css.form ?? ''}
      onSubmit={(event) => {
        event.preventDefault();
        take({ backend: 'cross_encoder', folder: folder.trim() });
      }}
    >
      <div className={css.row}>
        <TextField
          label={words.folder}
          placeholder={words.folderPlaceholder}
          value={folder}
          onChange={setFolder}
        />
        <Button onPress={() => void browse()}>{words.browse}</Button>
      </div>
      {held?.fault ? <p className={css.trouble}>{words.fault(held.fault)}</p> : null}
      {held?.name && held.folder === folder ? <p className={css.note}>{held.name}</p> : null}
      <div className={css.actions}>
        <Button
          type="submit"
          variant="primary"
          isPending={pending}
          isDisabled={folder.trim() === ''}
        >
          {pending ? words.taking : words.take}
        </Button>
      </div>
      <Trouble error={error} />
    </Form>
  );
}

/** Addresses that many people use. */
const KNOWN = [
  {
    name: 'Jina',
    endpoint: 'https://api.jina.ai/v1/rerank',
    model: 'jina-reranker-v2-base-multilingual',
  },
  { name: 'Cohere', endpoint: 'https://api.cohere.com/v2/rerank', model: 'rerank-v3.5' },
] as const;

const authority = (endpoint: string) => endpoint.trim().split('/')[2] ?? '';

function HttpForm({ view, onTaken }: { view: RerankersView; onTaken: () => void }) {
  const held: RerankServiceView | null = view.service;
  const [endpoint, setEndpoint] = useState(held?.endpoint ?? '');
  const [model, setModel] = useState(held?.model ?? '');
  const [scale, setScale] = useState(held?.scale ?? 'probability');
  const [key, setKey] = useState('');
  const [sends, setSends] = useState(false);
  const { take, pending, error } = useTake(() => {
    setKey('');
    // Another address needs another consent.
    setSends(false);
    onTaken();
  });
  const forget = useForgetRemote();
  const moved = held !== null && authority(held.endpoint) !== authority(endpoint);
  return (
    <Form
      className={css.form ?? ''}
      onSubmit={(event) => {
        event.preventDefault();
        take({
          backend: 'http',
          endpoint: endpoint.trim(),
          model: model.trim(),
          scale,
          key: key.trim() === '' ? null : key.trim(),
          sends_texts: sends,
        });
      }}
    >
      <div className={css.known}>
        <span>{words.known}</span>
        {KNOWN.map((one) => (
          <Button
            key={one.name}
            variant="quiet"
            onPress={() => {
              setEndpoint(one.endpoint);
              setModel(one.model);
              setScale('probability');
            }}
          >
            {one.name}
          </Button>
        ))}
      </div>
      <TextField
        label={words.endpoint}
        placeholder={words.endpointPlaceholder}
        value={endpoint}
        onChange={setEndpoint}
      />
      <div className={css.pair}>
        <TextField label={words.model} value={model} onChange={setModel} />
        <Select
          label={words.scale}
          value={scale}
          choices={[
            { id: 'probability', label: words.scales.probability },
            { id: 'logit', label: words.scales.logit },
          ]}
          onChange={(id) => setScale(id as RerankServiceView['scale'])}
        />
      </div>
      <TextField
        label={words.key}
        type="password"
        autoComplete="off"
        value={key}
        onChange={setKey}
        description={held?.key_stored ? (moved ? words.keyMoved : words.keyStored) : words.keyNew}
      />
      <p className={css.leaves}>{words.leaves}</p>
      <Switch isSelected={sends} onChange={setSends}>
        {words.consent}
      </Switch>
      <div className={css.actions}>
        <Button
          type="submit"
          variant="primary"
          isPending={pending}
          isDisabled={!sends || endpoint.trim() === '' || model.trim() === ''}
        >
          {words.take}
        </Button>
        {held ? (
          <Button
            variant="danger"
            isPending={forget.isPending}
            onPress={() =>
              forget.mutate(undefined, {
                onSuccess: (after) => {
                  toast(words.forgotten);
                  xrayStore().rerankWith(after.backend);
                  onTaken();
                },
                onError: failed,
              })
            }
          >
            {words.forget}
          </Button>
        ) : null}
      </div>
      <Trouble error={error} />
    </Form>
  );
}

function Trouble({ error }: { error: string | null }) {
  return (
    <p className={css.trouble} role="status">
      {error}
    </p>
  );
}
