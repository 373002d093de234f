/** What takes the space of the database, the largest first. */
import { failed } from '../../components/failure';
import { Switch } from '../../components/fields';
import { Panel } from '../../components/Page';
import { Failed, Waiting } from '../../components/State';
import { EdgeFailure } from '../../ipc/backend';
import type { StorageView } from '../../ipc/bindings';
import { useSaveSettings, useSettings } from '../../ipc/hooks';
import { useStorage } from '../../ipc/vault';
import { text } from '../../locales/en';
import css from './Storage.module.css';

const words = text.vault.storage;

export function Storage() {
  const storage = useStorage();
  const isDamaged = storage.error instanceof EdgeFailure && storage.error.edge.code === 'damaged';
  return (
    <Panel title={words.title}>
      {isDamaged ? (
        <p>{words.damaged}</p>
      ) : storage.error ? (
        <Failed error={storage.error} onRetry={() => void storage.refetch()} />
      ) : storage.data ? (
        <Kinds kinds={storage.data} />
      ) : (
        <Waiting words={words.working} />
      )}
      <TokenVectors />
    </Panel>
  );
}

/** Whether the vectors of tokens are kept: they take the most space, and spare the most time. */
function TokenVectors() {
  const settings = useSettings();
  const storage = useStorage();
  const save = useSaveSettings();
  if (!settings.data) return null;
  return (
    <div className={css.tokens}>
      <Switch
        isSelected={settings.data.keep_token_vectors}
        isDisabled={save.isPending}
        onChange={(keep) =>
          save.mutate(
            { keep_token_vectors: keep },
            { onError: failed, onSuccess: () => void storage.refetch() },
          )
        }
      >
        {words.keepTokens}
      </Switch>
      <p>{words.tokensHint}</p>
    </div>
  );
}

function Kinds({ kinds }: { kinds: readonly StorageView[] }) {
  const shown = kinds.filter((one) => one.bytes > 0).sort((a, b) => b.bytes - a.bytes);
  const whole = shown.reduce((sum, one) => sum + one.bytes, 0);
  return (
    <table className={css.kinds}>
      <thead>
        <tr>
          <th scope="col">{words.kind}</th>
          <th scope="col">{words.count}</th>
          <th scope="col">{words.bytes}</th>
        </tr>
      </thead>
      <tbody>
        {shown.map((one) => (
          <tr key={one.kind}>
            <th scope="row">
              {words.kinds[one.kind] ?? one.kind}
              <span
                className={css.bar}
                style={{ width: `${(one.bytes / whole) * 100}%` }}
                aria-hidden="true"
              />
            </th>
            <td>{one.rows === null ? '' : text.common.number(one.rows)}</td>
            <td>{text.common.bytes(one.bytes)}</td>
          </tr>
        ))}
        <tr>
          <th scope="row">{words.whole}</th>
          <td />
          <td>{text.common.bytes(whole)}</td>
        </tr>
      </tbody>
    </table>
  );
}
