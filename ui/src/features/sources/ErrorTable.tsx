import type { IngestErrorView } from '../../ipc/bindings';
import { text } from '../../locales/en';
import css from './ErrorTable.module.css';

/** Lines that could not be read, with where they are. */
export function ErrorTable({ errors }: { errors: readonly IngestErrorView[] }) {
  const words = text.sources;
  return (
    <table className={css.table}>
      <thead>
        <tr>
          <th scope="col">{words.where}</th>
          <th scope="col">{words.why}</th>
        </tr>
      </thead>
      <tbody>
        {errors.map((error) => (
          <tr key={`${error.path}:${error.line}`}>
            <th scope="row">
              {error.path}
              {error.line > 0 ? `:${error.line}` : ` (${words.wholeFile})`}
            </th>
            <td>{error.reason}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
