/** Says that a past query is shown as it was, and what can be done with it. */
import { Button as AriaButton } from 'react-aria-components/Button';
import { Menu, MenuItem, MenuTrigger } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import { Text } from 'react-aria-components/Text';
import { Button } from '../../../components/Button';
import type { StoredTraceView } from '../../../ipc/bindings';
import { xray } from '../../../locales/en/xray';
import { described, sameConstants } from '../../../words/constants';
import { type Replay, useXray, xrayStore } from '../store';
import { moment, type Side } from './difference';
import css from './StoredBanner.module.css';

const t = xray.history;

const REPLAYS: Record<keyof typeof t.replays, Replay> = {
  today: { constants: 'today', clock: 'then' },
  now: { constants: 'then', clock: 'now' },
  both: { constants: 'today', clock: 'now' },
  same: { constants: 'then', clock: 'then' },
};

export function StoredBanner({
  stored,
  onCompare,
}: {
  stored: StoredTraceView;
  onCompare: (a: Side, b: Side) => void;
}) {
  const store = xrayStore();
  const gone = stored.trace.results.filter((id) => !(id in stored.cards)).length;
  const present = store.present();
  return (
    <section className={css.banner} aria-label={t.banner(moment(stored.at))}>
      <p className={css.says} role="status">
        <b>{t.banner(moment(stored.at))}</b> {t.readOnly} {gone > 0 ? t.gone(gone) : ''}
      </p>
      <div className={css.actions}>
        <MenuTrigger>
          <AriaButton className={css.menuButton ?? ''}>
            {t.replay}
            <span className={css.caret} aria-hidden="true" />
          </AriaButton>
          <Popover className={css.popover ?? ''} offset={4}>
            <Menu
              aria-label={t.replay}
              className={css.menu ?? ''}
              onAction={(key) => store.replay(stored, REPLAYS[key as keyof typeof REPLAYS])}
            >
              {Object.entries(t.replays).map(([id, [name, help]]) => (
                <MenuItem key={id} id={id} textValue={name} className={css.item ?? ''}>
                  <Text slot="label">{name}</Text>
                  <Text slot="description" className={css.help ?? ''}>
                    {help}
                  </Text>
                </MenuItem>
              ))}
            </Menu>
          </Popover>
        </MenuTrigger>
        <Button
          isDisabled={present === null}
          onPress={() =>
            present &&
            onCompare(
              { name: moment(stored.at), trace: stored.trace, cards: stored.cards },
              { name: t.difference.present, trace: present.view.trace, cards: present.cards },
            )
          }
        >
          {t.withPresent}
        </Button>
        <Button onPress={() => store.exportTrace()}>{t.export.open}</Button>
        <Button variant="primary" onPress={() => store.closeStored()}>
          {t.back}
        </Button>
      </div>
    </section>
  );
}

/** The constants of then where the sliders are otherwise; what is different today says so. */
export function ConstantsThen({ stored }: { stored: StoredTraceView }) {
  const { constants: today } = useXray('constants');
  const then = stored.trace.constants;
  const names = Object.keys(then) as Array<keyof typeof then>;
  const same = today !== null && sameConstants(then, today);
  return (
    <section className={css.constants} aria-label={t.constantsThen}>
      <h2>{t.constantsThen}</h2>
      <dl>
        {names.map((name) => {
          const [label, value] = described(name, then[name]);
          const other = today && !same && today[name] !== then[name];
          return (
            <div key={name} data-other={other || undefined}>
              <dt>{label}</dt>
              <dd>
                {value}
                {other ? <em> {t.today(described(name, today[name])[1])}</em> : null}
              </dd>
            </div>
          );
        })}
      </dl>
    </section>
  );
}
