import { Button } from '../../components/Button';
import { Panel } from '../../components/Page';
import { Failed, Waiting } from '../../components/State';
import { useFolderOffers } from '../../ipc/hooks';
import { text } from '../../locales/en';
import { PLACES } from '../../shell/book';
import { HelpMark } from '../../shell/HelpMark';
import css from './SourcesSection.module.css';

/** The agents' folders that exist on this machine. */
export function FolderOffers({ onLook }: { onLook: (path: string) => void }) {
  const words = text.sources;
  const offers = useFolderOffers();
  return (
    <Panel title={words.found} mark={<HelpMark place={PLACES.dryRun} about={words.found} />}>
      {offers.isPending ? <Waiting words={words.looking} /> : null}
      {offers.isError ? (
        <Failed error={offers.error} onRetry={() => void offers.refetch()} />
      ) : null}
      {offers.data?.length === 0 && <p>{words.foundNone}</p>}
      <ul className={css.offers}>
        {offers.data?.map((offer) => (
          <li key={offer.path}>
            <span className={css.offer}>
              <b>{offer.agent}</b>
              <span className={css.path}>{offer.path}</span>
              <span className={css.quiet}>
                {[words.files(offer.files), text.common.days(offer.first, offer.last)]
                  .filter((part) => part !== '')
                  .join(' · ')}
              </span>
            </span>
            {offer.watched ? (
              <span className={css.watched}>✓ {words.watched}</span>
            ) : (
              <Button
                aria-label={`${words.watch} ${offer.agent}`}
                onPress={() => onLook(offer.path)}
              >
                {words.watch}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
