/**
 * The constants that are not in the row. Searching lights what fits and fades the rest, so that
 * nothing moves.
 */
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../../components/Button';
import { ChipSelect } from '../../../components/Chip';
import { SearchField, Switch } from '../../../components/fields';
import type { Constants, FixView } from '../../../ipc/bindings';
import { named, xray } from '../../../locales/en/xray';
import { CHOICES, choicesOf, described, MORE, ROW, SWITCHES } from '../../../words/constants';
import { AgeingDialog } from '../ageing/AgeingDialog';
import { xrayStore } from '../store';
import { ConstantSlider, Help } from './ConstantSlider';
import css from './Drawer.module.css';
import { fits } from './search';

const t = xray.sliders;

const NAMES = [...ROW, ...MORE]
  .map((spec): string => spec.name)
  .concat(CHOICES, SWITCHES, 'half_life_by_kind');

export interface DrawerProps {
  constants: Constants;
  preset: Constants;
  fixes: readonly FixView[];
  litTimes: (constant: string) => number;
  /** Somebody who opens it looks for something; where it stood open, the query keeps the focus. */
  takesFocus: boolean;
  find: string;
  onFind: (find: string) => void;
  onClose: () => void;
}

export function Drawer(props: DrawerProps) {
  const { constants, preset, fixes, litTimes, takesFocus, find, onFind, onClose } = props;
  const box = useRef<HTMLFieldSetElement>(null);
  const [ageing, setAgeing] = useState(false);
  useEffect(() => {
    if (takesFocus) box.current?.querySelector('input')?.focus();
  }, [takesFocus]);
  const count = find.trim() === '' ? null : NAMES.filter((name) => fits(name, find)).length;
  return (
    <fieldset
      className={css.drawer}
      aria-label={t.more}
      ref={box}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return;
        event.preventDefault();
        onClose();
      }}
    >
      <div className={css.find}>
        <SearchField label={t.find} placeholder={t.find} value={find} onChange={onFind} />
        <small role="status">{count === null ? '' : t.found(count)}</small>
      </div>
      <div className={css.sliders}>
        {MORE.map((spec) => (
          <ConstantSlider
            key={spec.name}
            spec={spec}
            value={constants[spec.name]}
            byPreset={preset[spec.name]}
            fix={fixes.find((fix) => fix.constant === spec.name)}
            litTimes={litTimes(spec.name)}
            isFaded={!fits(spec.name, find)}
          />
        ))}
        <div className={css.choices}>
          {CHOICES.map((name) => (
            <span key={name} data-constant={name} data-faded={!fits(name, find) || undefined}>
              <ChipSelect
                label={named(t.names, name)}
                value={constants[name]}
                choices={Object.entries(choicesOf(name)).map(([id, label]) => ({ id, label }))}
                onChange={(value) => xrayStore().tune({ [name]: value })}
              />
              <Help constant={name} />
            </span>
          ))}
          <span
            data-constant="half_life_by_kind"
            data-faded={!fits('half_life_by_kind', find) || undefined}
          >
            <Button variant="quiet" aria-label={xray.ageing.open} onPress={() => setAgeing(true)}>
              {described('half_life_by_kind', constants.half_life_by_kind).join(': ')}
            </Button>
            <Help constant="half_life_by_kind" />
          </span>
          {SWITCHES.map((name) => (
            <span key={name} data-constant={name} data-faded={!fits(name, find) || undefined}>
              <Switch
                isSelected={constants[name]}
                onChange={(on) => xrayStore().tune({ [name]: on })}
              >
                {named(t.names, name)}
              </Switch>
              <Help constant={name} />
            </span>
          ))}
        </div>
      </div>
      <AgeingDialog constants={constants} isOpen={ageing} onClose={() => setAgeing(false)} />
    </fieldset>
  );
}
