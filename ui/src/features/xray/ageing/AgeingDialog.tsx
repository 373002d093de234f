/** Which kinds of memory age faster, slower, or not at all. */
import { useState } from 'react';
import { Button } from '../../../components/Button';
import { Dialog } from '../../../components/Dialog';
import { TextField } from '../../../components/fields';
import { type Constants, KINDS } from '../../../ipc/bindings';
import { named, xray } from '../../../locales/en/xray';
import { type Ageing, days, type Kind, read, withRule } from '../../../words/ageing';
import { shown } from '../../../words/constants';
import { Segmented } from '../Segmented';
import { xrayStore } from '../store';
import css from './AgeingDialog.module.css';

const t = xray.ageing;

export function AgeingDialog(props: {
  constants: Constants;
  isOpen: boolean;
  onClose: () => void;
}) {
  const { constants, isOpen, onClose } = props;
  const rules = read(constants.half_life_by_kind);
  const choose = (kind: Kind, ageing: Ageing | null) =>
    xrayStore().tune({
      half_life_by_kind: withRule(constants.half_life_by_kind, kind, ageing),
    });
  return (
    <Dialog
      title={t.title}
      isOpen={isOpen}
      onClose={onClose}
      actions={
        <Button variant="primary" onPress={onClose}>
          {t.done}
        </Button>
      }
    >
      <p className={css.help}>{t.help(shown('half_life_days', constants.half_life_days))}</p>
      <ul className={css.kinds}>
        {KINDS.map((kind) => (
          <Row key={kind} kind={kind} ageing={rules.get(kind) ?? null} onChoose={choose} />
        ))}
      </ul>
    </Dialog>
  );
}

function Row(props: {
  kind: Kind;
  ageing: Ageing | null;
  onChoose: (kind: Kind, ageing: Ageing | null) => void;
}) {
  const { kind, ageing, onChoose } = props;
  const name = named({}, kind);
  // What is being typed, as long as it says no half-life.
  const [typed, setTyped] = useState<string | null>(null);
  const own = typeof ageing === 'number';
  return (
    <li className={css.kind}>
      <span>{name}</span>
      <Segmented
        label={t.of(name)}
        value={own ? 'own' : ageing === null ? 'all' : 'evergreen'}
        choices={[
          ['all', t.all],
          ['own', t.own],
          ['evergreen', t.evergreen],
        ]}
        onChange={(choice) => {
          setTyped(null);
          if (choice === 'own') onChoose(kind, own ? ageing : t.first);
          else onChoose(kind, choice === 'all' ? null : 'evergreen');
        }}
      />
      {own ? (
        <TextField
          label={t.days(name)}
          value={typed ?? String(ageing)}
          error={typed !== null && days(typed) === null ? t.range : null}
          onChange={(next) => {
            setTyped(next);
            const read = days(next);
            if (read !== null) onChoose(kind, read);
          }}
        />
      ) : null}
    </li>
  );
}
