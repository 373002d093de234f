/** What a folder holds, by project: each can be left out before a byte of it is stored. */
import { Button } from '../../components/Button';
import { Check } from '../../components/Check';
import type { ProjectReport } from '../../ipc/bindings';
import { text } from '../../locales/en';
import { listed } from '../../locales/en/format';
import { projectOf } from '../../words/where';
import css from './Projects.module.css';

const words = text.sources.projects;

export function Projects(props: {
  projects: readonly ProjectReport[];
  leftOut: readonly string[];
  onChange: (leftOut: string[]) => void;
}) {
  const { projects, leftOut, onChange } = props;
  if (projects.length === 0) return null;
  const [only] = projects;
  return (
    <div>
      <div className={css.head}>
        <h3 id="dry-run-projects">{words.title(projects.length)}</h3>
        {projects.length > 2 ? (
          <Button
            variant="quiet"
            onPress={() => onChange(leftOut.length > 0 ? [] : projects.map((one) => one.project))}
          >
            {leftOut.length > 0 ? words.all : words.none}
          </Button>
        ) : null}
      </div>
      {projects.length === 1 && only ? (
        <Facts of={only} />
      ) : (
        <ul className={css.list} aria-labelledby="dry-run-projects">
          {projects.map((one) => (
            <li key={one.project}>
              <Check
                isSelected={!leftOut.includes(one.project)}
                onChange={(wanted) =>
                  onChange(
                    wanted
                      ? leftOut.filter((name) => name !== one.project)
                      : [...leftOut, one.project],
                  )
                }
              >
                <Facts of={one} />
              </Check>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Facts({ of }: { of: ProjectReport }) {
  const kinds = Object.entries(of.kinds).sort((a, b) => b[1] - a[1]);
  return (
    <span className={css.project}>
      <b title={of.project}>{of.project === '' ? words.unnamed : projectOf(of.project)}</b>{' '}
      <span>
        {[
          of.sessions > 0 ? words.sessions(of.sessions) : '',
          text.common.days(of.first, of.last),
          listed(kinds.map(([kind, count]) => words.kind(kind, count))),
        ]
          .filter((part) => part !== '')
          .join(' · ')}
      </span>
    </span>
  );
}
