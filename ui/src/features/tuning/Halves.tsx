/** What a choice of constants is worth on the half of the golden queries that did not choose it. */
import { useQuery } from '@tanstack/react-query';
import { Failed } from '../../components/State';
import { backend } from '../../ipc/backend';
import type { Constants, HeldOutView } from '../../ipc/bindings';
import { keys } from '../../ipc/keys';
import { xray } from '../../locales/en/xray';
import { Finding } from './Golden';
import css from './Lab.module.css';

const t = xray.halves;

/** The held-out half of a choice that was measured already. */
export function HeldOut(props: {
  view: HeldOutView | null;
  needed: number;
  present: string;
  chosen: string;
}) {
  const { view } = props;
  if (view === null) return <p className={css.half}>{t.none(Math.max(1, props.needed))}</p>;
  return (
    <div className={css.half}>
      <h4>
        {t.heldOn(view.queries)}
        <small>{t.scores(view.chosen.ndcg_10.toFixed(3), view.present.ndcg_10.toFixed(3))}</small>
      </h4>
      <Finding
        difference={view.difference}
        a={props.present}
        b={props.chosen}
        queries={view.queries}
      />
    </div>
  );
}

/** The same for a choice that has to be measured first. */
export function HeldOutOf(props: {
  present: Constants;
  chosen: Constants;
  now: string | null;
  needed: number;
}) {
  const { present, chosen, now } = props;
  const asked = useQuery({
    queryKey: keys.holdOut(present, chosen, now),
    queryFn: () => backend().holdOut({ present, chosen, now }),
    retry: false,
  });
  if (asked.error) return <Failed error={asked.error} onRetry={() => void asked.refetch()} />;
  if (asked.data === undefined) return <p role="status">{t.measuring}</p>;
  return <HeldOut view={asked.data} needed={props.needed} present={t.present} chosen={t.chosen} />;
}
