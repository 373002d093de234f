/** Whether the vault is well, and what mends it when it is not. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../components/Button';
import { CopyNumber } from '../../components/CopyNumber';
import { Panel } from '../../components/Page';
import { Progress } from '../../components/Progress';
import { Failed } from '../../components/State';
import { backend } from '../../ipc/backend';
import type { FindingView, HealthView, RepairView } from '../../ipc/bindings';
import { type Checked, keepHealth, useCheck } from '../../ipc/vault';
import { text } from '../../locales/en';
import { PLACES } from '../../shell/book';
import { HelpMark } from '../../shell/HelpMark';
import { AskDialog } from './AskDialog';
import css from './Health.module.css';

const words = text.vault.check;

export function Health({ demo, damaged }: { demo: boolean; damaged: readonly string[] }) {
  const check = useCheck();
  const [repairing, setRepairing] = useState(false);
  const last = check.data;
  return (
    <Panel title={words.title} mark={<HelpMark place={PLACES.health} about={words.title} />}>
      <p>{words.lead}</p>
      {check.isFetching ? (
        <Progress label={words.working} value={0} total={null} />
      ) : check.error ? (
        <Failed error={check.error} onRetry={() => void check.refetch()} />
      ) : last ? (
        <Outcome last={last} />
      ) : damaged.length > 0 ? (
        <p className={css.verdict}>{words.met(damaged.join(', '))}</p>
      ) : (
        <p>{words.never}</p>
      )}
      <div className={css.actions}>
        <Button onPress={() => void check.refetch()} isDisabled={check.isFetching}>
          {words.action}
        </Button>
        {last && !last.health.sound && !demo && (
          <Button variant="primary" onPress={() => setRepairing(true)}>
            {words.repair}
          </Button>
        )}
      </div>
      {last && !last.health.sound && demo && <p>{words.demo}</p>}
      <RepairDialog isOpen={repairing} onClose={() => setRepairing(false)} />
    </Panel>
  );
}

/** One line that says how it is, then what was found and what was done about it. */
function Outcome({ last }: { last: Checked }) {
  const { health } = last;
  const when = text.common.dateTime(last.at);
  return (
    <div className={css.outcome} role="status">
      <p className={css.verdict} data-sound={health.sound || undefined}>
        {health.sound ? words.sound(when) : words.unsound(faults(health), when)}
      </p>
      {health.findings.length > 0 && <Findings title={words.findings} list={health.findings} />}
      {health.repair && <Repaired repair={health.repair} sound={health.sound} />}
    </div>
  );
}

/** What is only noted does not count. */
function faults(health: HealthView): number {
  return health.findings.filter((one) => one.fault).length;
}

/**
 * What was found, a sentence each. One damaged page breaks the structure in many places, and SQLite
 * has a line of its own for each of them: one sentence says so, its lines are for whoever asks.
 */
function Findings(props: { title: string; list: readonly FindingView[]; isMended?: boolean }) {
  const structure = props.list.filter((one) => one.kind === 'structure');
  const others = props.list.filter((one) => one.kind !== 'structure');
  const remedy = structure[0]?.remedy;
  return (
    <>
      <h3>{props.title}</h3>
      <ul className={css.findings}>
        {others.map((one) => (
          <li key={`${one.kind} ${one.place}`}>
            {one.sentence}
            {!props.isMended && <small>{one.remedy}</small>}
          </li>
        ))}
        {remedy !== undefined && (
          <li>
            {words.structure(structure.length)}
            {!props.isMended && <small>{remedy}</small>}
            <details className={css.details}>
              <summary>{words.raw}</summary>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
              <pre tabIndex={0}>{structure.map((one) => one.place).join('\n')}</pre>
            </details>
          </li>
        )}
      </ul>
    </>
  );
}

function Repaired({ repair, sound }: { repair: RepairView; sound: boolean }) {
  const rows = Object.values(repair.saved).reduce((sum, count) => sum + count, 0);
  return (
    <>
      <p>{sound ? words.repaired : words.stillWrong}</p>
      <Findings title={words.before} list={repair.before} isMended />
      {rows > 0 && <p>{words.saved(text.common.number(rows))}</p>}
      {repair.lost.length > 0 ? (
        <>
          <h3>{words.lost}</h3>
          <ul className={css.findings}>
            {repair.lost.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </>
      ) : (
        <p>{words.nothingLost}</p>
      )}
      {repair.set_aside && (
        <p>
          {words.aside} <CopyNumber shown={repair.set_aside} label={words.aside} />
        </p>
      )}
    </>
  );
}

function RepairDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const client = useQueryClient();
  const say = words.repairing;
  return (
    <AskDialog
      title={say.title}
      isOpen={isOpen}
      onClose={onClose}
      action={say.action}
      working={say.working}
      run={async (passphrase) => {
        keepHealth(client, await backend().repairVault(passphrase));
        onClose();
      }}
    >
      <p>{say.text}</p>
    </AskDialog>
  );
}
