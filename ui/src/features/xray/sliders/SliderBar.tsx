/**
 * The constants under the hand: moving one ranks again at once. The essential ones stand in a row;
 * the others wait in a drawer that opens upwards, so that nothing under the cursor moves.
 */
import { memo, useCallback, useEffect, useRef, useState } from 'react';
import { Button } from '../../../components/Button';
import type { ForecastView, PresetView, VerdictView } from '../../../ipc/bindings';
import { xray } from '../../../locales/en/xray';
import { setPreferences, usePreferences } from '../../../shell/preferences';
import { isEssential, ROW, sameConstants } from '../../../words/constants';
import { Metrics } from '../Metrics';
import { useXray, xrayStore } from '../store';
import { Scrubber } from '../time/Scrubber';
import { Changed } from './Changed';
import { ConstantSlider } from './ConstantSlider';
import { Drawer } from './Drawer';
import { SavePreset } from './SavePreset';
import css from './SliderBar.module.css';
import { fits } from './search';

const t = xray.sliders;

export const SliderBar = memo(function SliderBar({
  verdict,
  forecast,
}: {
  verdict: VerdictView | null;
  forecast: ForecastView | null;
}) {
  const { constants, preset, revealed } = useXray('constants', 'preset', 'revealed');
  const { allConstants: isOpen } = usePreferences();
  const [naming, setNaming] = useState(false);
  const [find, setFind] = useState('');
  const stoodOpen = useRef(isOpen);
  const toggle = useRef<HTMLButtonElement>(null);
  const bar = useRef<HTMLElement>(null);
  useRevealed(bar, revealed);
  const close = useCallback(() => {
    stoodOpen.current = false;
    setFind('');
    setPreferences({ allConstants: false });
    toggle.current?.focus();
  }, []);
  const unname = useCallback(() => setNaming(false), []);
  if (!constants || !preset) return null;
  const edited = !sameConstants(constants, preset.constants);
  const fixes = verdict && !verdict.in_results ? verdict.fixes : [];
  const others = fixes.filter((fix) => !isEssential(fix.constant) && fix.intervals.length > 0);
  const litTimes = (name: string) => (revealed?.constant === name ? revealed.times : 0);
  const shared = { constants, preset: preset.constants, fixes, litTimes };
  return (
    <section className={css.bar} aria-label={t.label} ref={bar}>
      <div className={css.hand}>
        <div className={css.head}>
          <More toggle={toggle} isOpen={isOpen} onClose={close} />
          {!isOpen && others.length > 0 ? (
            <small className={css.works}>{t.moreWork(others.length)}</small>
          ) : null}
          <Changed {...shared} withTracks={!isOpen} />
          <OfPreset preset={preset} isEdited={edited} onName={setNaming} />
        </div>
        {isOpen ? (
          <Drawer
            {...shared}
            takesFocus={!stoodOpen.current}
            find={find}
            onFind={setFind}
            onClose={close}
          />
        ) : null}
        <div className={css.row}>
          {ROW.map((spec) => (
            <ConstantSlider
              key={spec.name}
              spec={spec}
              value={constants[spec.name]}
              byPreset={preset.constants[spec.name]}
              fix={fixes.find((fix) => fix.constant === spec.name)}
              litTimes={litTimes(spec.name)}
              isFaded={isOpen && !fits(spec.name, find)}
            />
          ))}
        </div>
        <Scrubber forecast={forecast} />
      </div>
      <Metrics />
      <SavePreset isOpen={naming} onClose={unname} />
    </section>
  );
});

/** Opens and closes the drawer. A moving slider leaves it alone, like the two buttons below. */
const More = memo(function More(props: {
  toggle: React.RefObject<HTMLButtonElement | null>;
  isOpen: boolean;
  onClose: () => void;
}) {
  const { toggle, isOpen, onClose } = props;
  return (
    <Button
      ref={toggle}
      variant="quiet"
      aria-expanded={isOpen}
      onPress={() => (isOpen ? onClose() : setPreferences({ allConstants: true }))}
    >
      <span className={css.caret} data-open={isOpen || undefined} aria-hidden="true" />
      {isOpen ? t.fewer : t.more}
    </Button>
  );
});

/** Back to the preset, or a preset of its own. */
const OfPreset = memo(function OfPreset(props: {
  preset: PresetView;
  isEdited: boolean;
  onName: (naming: boolean) => void;
}) {
  const { preset, isEdited, onName } = props;
  return (
    <>
      <Button
        variant="quiet"
        isDisabled={!isEdited}
        aria-label={t.resetTo(preset.name)}
        onPress={() => xrayStore().applyPreset(preset)}
      >
        {t.reset}
      </Button>
      <Button variant="quiet" isDisabled={!isEdited} onPress={() => onName(true)}>
        {t.save}
      </Button>
    </>
  );
});

/** What Try has set is brought into view, where a small window had scrolled it away. */
function useRevealed(
  bar: React.RefObject<HTMLElement | null>,
  revealed: { constant: string; times: number } | null,
) {
  const seen = useRef(revealed);
  useEffect(() => {
    if (revealed === null || revealed === seen.current) return;
    seen.current = revealed;
    bar.current
      ?.querySelector(`[data-constant="${revealed.constant}"]`)
      ?.scrollIntoView?.({ block: 'nearest', inline: 'nearest' });
  }, [bar, revealed]);
}
