/** Which agents' logs lie on this machine: how many, how far back, and which of them are wanted. */
import { Check } from '../../components/Check';
import type { FolderOffer } from '../../ipc/bindings';
import { text } from '../../locales/en';
import css from './Welcome.module.css';

const words = text.onboarding;

export function FoundHere(props: {
  offers: readonly FolderOffer[];
  unwanted: ReadonlySet<string>;
  onChange: (unwanted: ReadonlySet<string>) => void;
}) {
  const { offers, unwanted, onChange } = props;
  const turn = (path: string, wanted: boolean) => {
    const next = new Set(unwanted);
    if (wanted) next.delete(path);
    else next.add(path);
    onChange(next);
  };
  return (
    <div className={css.found}>
      <p id="found-here">{words.found(offers)}</p>
      <ul aria-labelledby="found-here">
        {offers.map((offer) => (
          <li key={offer.path}>
            <Check
              isSelected={!unwanted.has(offer.path)}
              onChange={(wanted) => turn(offer.path, wanted)}
            >
              <b>{offer.agent}</b>{' '}
              <small>
                {[
                  words.logs(offer.files),
                  text.common.bytes(Number(offer.bytes)),
                  text.common.days(offer.first, offer.last),
                ]
                  .filter((part) => part !== '')
                  .join(' · ')}
              </small>
              <code>{offer.path}</code>
            </Check>
          </li>
        ))}
      </ul>
    </div>
  );
}
