import { Kbd } from '../../components/Kbd';
import { text } from '../../locales/en';
import { keysOf, PLACES } from '../../shell/keyboard';
import css from './KeyList.module.css';

/** Every key of the window and what it does, by where it works. */
export function KeyList() {
  const words = text.settings;
  return (
    <div className={css.lists}>
      {PLACES.map((place) => (
        <section key={place}>
          <h3>{words.places[place]}</h3>
          <dl className={css.keys}>
            {keysOf(place).map(([name, keys]) => (
              <div key={name}>
                <dt>
                  <Kbd keys={keys} />
                </dt>
                <dd>{words.keys[name]}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  );
}
