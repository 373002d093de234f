/** A memory written by hand: it passes the same screen as a log's, and undo takes it back. */
import { type KeyboardEvent, useState } from 'react';
import { Button } from '../../components/Button';
import { Dialog } from '../../components/Dialog';
import { sentenceOf } from '../../components/failure';
import { Select, Switch, TextField } from '../../components/fields';
import { Kbd } from '../../components/Kbd';
import { toast } from '../../components/Toast';
import { EdgeFailure } from '../../ipc/backend';
import { KINDS, ROLES } from '../../ipc/bindings';
import { text } from '../../locales/en';
import { useUndo } from '../../shell/undo';
import css from './AddDialog.module.css';
import { useMemoryActions } from './actions';
import { tagsOf } from './tags';

const t = text.memories.adding;
const words = text.memories;

const EMPTY = {
  content: '',
  agent: 'person',
  session: '',
  org: '',
  role: 'user',
  kind: 'fact',
  tags: '',
  at: '',
  expires: '',
};
type Field = keyof typeof EMPTY;

const choices = (names: readonly string[]) =>
  names.map((id) => ({ id, label: id.replaceAll('_', ' ') }));

export function AddDialog(props: { onClose: () => void; onAdded: (id: string) => void }) {
  const [fields, setFields] = useState(EMPTY);
  const [pinned, setPinned] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [saving, setSaving] = useState(false);
  const actions = useMemoryActions();
  const undo = useUndo();
  const set = (name: Field) => (value: string) => setFields({ ...fields, [name]: value });
  const ready = fields.content.trim() !== '' && !saving;

  const add = async () => {
    if (!ready) return;
    setSaving(true);
    setError(null);
    const { tags, ...rest } = fields;
    try {
      const added = await actions.add({ ...rest, tags: tagsOf(tags), pinned });
      const said = t.outcomes[added.outcome](added.id);
      toast(added.secrets_masked ? `${said} ${t.masked}` : said, { undo });
      props.onAdded(added.id);
    } catch (failure) {
      setError(failure);
      setSaving(false);
    }
  };
  const pressed = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    void add();
  };
  const refused = error instanceof EdgeFailure ? error.edge.args.what : undefined;
  const shownAt = Object.keys(EMPTY).find((name) => name === refused);
  const field = (name: Field) => ({
    value: fields[name],
    onChange: set(name),
    error: shownAt === name ? sentenceOf(error) : null,
  });

  return (
    <Dialog
      title={t.title}
      isOpen
      onClose={props.onClose}
      isHolding={fields.content !== ''}
      isWide
      actions={
        <>
          <Kbd keys="Mod Enter" />
          <Button onPress={props.onClose}>{text.common.cancel}</Button>
          <Button
            variant="primary"
            isDisabled={fields.content.trim() === ''}
            isPending={saving}
            onPress={() => void add()}
          >
            {t.action}
          </Button>
        </>
      }
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the fields in it hear the keys; this stores from any. */}
      <div className={css.fields} onKeyDown={pressed}>
        <TextField label={words.text} rows={6} autoFocus {...field('content')} />
        <div className={css.row}>
          <Select
            label={words.facts.kind}
            value={fields.kind}
            choices={choices(KINDS)}
            onChange={set('kind')}
          />
          <Select
            label={words.facts.role}
            value={fields.role}
            choices={choices(ROLES)}
            onChange={set('role')}
          />
        </div>
        <TextField label={words.tags} {...field('tags')} />
        <div className={css.row}>
          <TextField label={words.facts.agent} description={t.agentHint} {...field('agent')} />
          <TextField label={t.session} description={t.sessionHint} {...field('session')} />
          <TextField label={t.org} {...field('org')} />
        </div>
        <div className={css.row}>
          <TextField type="date" label={t.at} description={t.atHint} {...field('at')} />
          <TextField
            type="date"
            label={words.expires}
            description={words.expiresHint}
            {...field('expires')}
          />
        </div>
        <Switch isSelected={pinned} onChange={setPinned}>
          {t.pin}
        </Switch>
        {error !== null && shownAt === undefined ? (
          <p role="alert" className={css.error}>
            {sentenceOf(error)}
          </p>
        ) : null}
      </div>
    </Dialog>
  );
}
