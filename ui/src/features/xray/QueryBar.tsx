/** The question and everything it depends on: mode, filter, clock, preset; and what it took. */
import { memo, useEffect, useRef } from 'react';
import { Button as AriaButton } from 'react-aria-components/Button';
import { Dialog, DialogTrigger } from 'react-aria-components/Dialog';
import { Popover } from 'react-aria-components/Popover';
import { Button } from '../../components/Button';
import { Chip, ChipButton, ChipFilter, ChipSelect } from '../../components/Chip';
import { sentenceOf } from '../../components/failure';
import { TextField } from '../../components/fields';
import type { FilterRequest, Mode, PresetView, StoredTraceView } from '../../ipc/bindings';
import { useFacets } from '../../ipc/hooks';
import { duration } from '../../locales/en/format';
import { named, xray } from '../../locales/en/xray';
import { totalMs } from '../../trace/model';
import { moment } from './history/difference';
import css from './QueryBar.module.css';
import { Segmented } from './Segmented';
import { useEdited, useXray, useXrayValue, xrayStore } from './store';

const t = xray.query;

/** An answer changes nothing here but the time it took, which draws itself. */
export const QueryBar = memo(function QueryBar({ presets }: { presets: readonly PresetView[] }) {
  const state = useXray('text', 'mode', 'agents', 'now', 'preset', 'entering', 'rest', 'frozen');
  const store = xrayStore();
  const input = useRef<HTMLInputElement>(null);
  const facets = useFacets();
  const { preset } = state;
  const edited = useEdited();

  useEffect(() => input.current?.focus(), []);

  return (
    // biome-ignore lint/a11y/useSemanticElements: the oldest WebKit that the window runs in has no search element.
    <form
      role="search"
      className={css.bar}
      onSubmit={(event) => {
        event.preventDefault();
        store.ask();
      }}
    >
      <input
        ref={input}
        className={css.input}
        type="text"
        data-xray-query
        aria-label={t.label}
        placeholder={t.placeholder}
        value={state.text}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => store.type(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return;
          event.preventDefault();
          toResults();
        }}
      />
      <div className={css.chips}>
        {state.frozen ? <Then stored={state.frozen} /> : null}
        {state.frozen ? null : (
          <>
            <ChipSelect
              label={t.mode}
              value={state.mode}
              choices={Object.entries(t.modes).map(([id, [label, hint]]) => ({ id, label, hint }))}
              onChange={(mode) => store.ask({ mode: mode as Mode })}
            />
            <ChipFilter
              label={t.agent}
              any={t.anyAgent}
              selected={state.agents}
              choices={(facets.data?.agents ?? []).map((one) => ({
                id: one.value,
                label: one.value,
                count: one.count,
              }))}
              onChange={(agents) => store.ask({ agents })}
              empty={facets.error ? sentenceOf(facets.error) : t.agentsNone}
            />
            <Clock now={state.now} onChange={(now) => store.ask({ now })} />
            {preset ? (
              <ChipSelect
                label={t.preset}
                value={preset.name}
                suffix={edited ? `· ${t.edited}` : undefined}
                choices={presets.map((one) => ({
                  id: one.name,
                  label: one.name,
                  hint: one.description || undefined,
                }))}
                onChange={(name) => {
                  const chosen = presets.find((one) => one.name === name);
                  if (chosen) store.applyPreset(chosen);
                }}
              />
            ) : null}
          </>
        )}
        {state.entering > 0 ? (
          <ChipButton value={t.entering(state.entering)} isOn onPress={() => store.again()} />
        ) : null}
        {Object.keys(state.rest).some((name) => filled(state.rest[name as keyof FilterRequest])) ? (
          <ChipButton value={xray.history.rest} isOn onPress={() => store.ask({ rest: {} })} />
        ) : null}
        <ChipButton value={xray.history.open} onPress={() => store.set({ history: true })} />
        <Took />
        <Density />
      </div>
    </form>
  );
});

/** To the first result; the list may have to come back first. */
function toResults(): void {
  // Where everything is one list per stage, the first of those.
  const where = xrayStore().get().density === 'debug' ? 'main' : '[data-results]';
  const first = () => document.querySelector<HTMLElement>(`${where} [data-row]`);
  if (first() === null) {
    xrayStore().set({ tab: 'results', stage: null });
    requestAnimationFrame(() => first()?.focus());
  } else first()?.focus();
}

/** What a past query was asked with; it cannot be changed any more. */
function Then({ stored }: { stored: StoredTraceView }) {
  const { agents = [] } = stored.filter;
  return (
    <>
      <Chip label={t.mode} value={stored.trace.mode} />
      <Chip label={t.agent} value={agents.length > 0 ? agents.join(', ') : t.anyAgent} />
      <Chip label={t.asOf} value={moment(stored.trace.now)} />
    </>
  );
}

/** Whether a part of a filter narrows anything. */
function filled(value: FilterRequest[keyof FilterRequest]): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

/** The time the whole query took, or what is still going on; its place never changes width much. */
function Took() {
  const { phase, view } = useXray('phase', 'view');
  const busy =
    phase === 'searching'
      ? t.searching
      : phase === 'reading'
        ? t.reading(view?.unscored ?? 0)
        : null;
  const time = view ? duration(totalMs(view.trace)) : null;
  const level =
    view && view.trace.level !== 'full' ? named(xray.failure.levels, view.trace.level) : null;
  if (busy === null && time === null) return null;
  return (
    <span className={css.took} role="status" aria-label={t.time}>
      {level ? (
        <Chip
          value={
            <span className={css.level} role="img" aria-label={level}>
              !<span> {level}</span>
            </span>
          }
          title={`${level}. ${t.levelHelp}`}
        />
      ) : null}
      <Chip
        value={busy ?? time}
        title={busy === null ? t.time : t.readingHelp(view?.unscored ?? 0)}
      />
    </span>
  );
}

/** How dense everything below is. */
function Density() {
  const { density } = useXray('density');
  const answered = useXrayValue(({ view }) => view !== null);
  if (!answered) return null;
  return (
    <Segmented
      label={t.density}
      value={density}
      choices={[
        ['overview', t.overview],
        ['debug', t.debug],
      ]}
      onChange={(next) => xrayStore().setDensity(next)}
    />
  );
}

/** The moment from which ages are counted back. */
function Clock({ now, onChange }: { now: string | null; onChange: (now: string | null) => void }) {
  const day = now?.slice(0, 10) ?? '';
  return (
    <DialogTrigger>
      <AriaButton className={css.chip} data-on={now !== null || undefined}>
        {t.asOf} <em>{now === null ? t.now : day}</em>
        <span className={css.caret} aria-hidden="true" />
      </AriaButton>
      <Popover className={css.popover ?? ''} offset={4}>
        <Dialog aria-label={t.clock} className={css.clock ?? ''}>
          {({ close }) => (
            <>
              <TextField
                label={t.clock}
                type="date"
                value={day}
                description={t.clockHelp}
                onChange={(value) => {
                  const moment = new Date(`${value}T12:00:00Z`);
                  if (!Number.isNaN(moment.getTime())) onChange(moment.toISOString());
                }}
              />
              <Button
                isDisabled={now === null}
                onPress={() => {
                  onChange(null);
                  close();
                }}
              >
                {t.present}
              </Button>
            </>
          )}
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}
