/** The foot of a ledger: the sum of its rows, and whether it is the number that they are the reason of. */
import { CopyNumber } from '../../components/CopyNumber';
import { exact, score } from '../../locales/en/format';
import { xray } from '../../locales/en/xray';
import css from './MemoryPanel.module.css';

/** The last row of a table with so many columns before the parts. */
export function SumRow({ before, sum }: { before: number; sum: number }) {
  const label = xray.memory.sum;
  return (
    <tfoot>
      <tr>
        <th scope="row" colSpan={before}>
          {label}
        </th>
        <td>
          <CopyNumber shown={score(sum)} exact={exact(sum)} label={label} />
        </td>
      </tr>
    </tfoot>
  );
}

/** Whether the sum agrees; null where there is nothing to compare it with. */
export function Agreement(props: {
  agrees: boolean | null;
  yes: string;
  no: string;
  nothing: string;
}) {
  const { agrees, yes, no, nothing } = props;
  return (
    <p className={agrees === null ? css.hint : css.check} data-ok={agrees || undefined}>
      {agrees === null ? nothing : agrees ? `✓ ${yes}` : `✕ ${no}`}
    </p>
  );
}
