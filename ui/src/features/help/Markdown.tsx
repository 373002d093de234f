/**
 * A page of the book as elements. Only what is named here is drawn: HTML in a page is left out, and
 * a link leads to another place of the book or nowhere.
 */
import type { Token, Tokens } from 'marked';
import type { ReactNode } from 'react';
import { Link } from 'react-aria-components/Link';
import css from './Markdown.module.css';
import { anchorOf, anchorOfRow, picture, target } from './pages';

export interface MarkdownProps {
  tokens: readonly Token[];
  /** The page that they are of. */
  page: string;
  onOpen: (place: string) => void;
}

export function Markdown({ tokens, page, onOpen }: MarkdownProps) {
  const inline = (all: readonly Token[] | undefined): ReactNode =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the tokens of a page never change.
    (all ?? []).map((token, at) => <Inline key={at} token={token} page={page} onOpen={onOpen} />);
  return tokens.map((token, at) => {
    const key = `${page} ${at}`;
    const anchor = anchorOf(token) ?? undefined;
    switch (token.type) {
      case 'heading': {
        const Tag = (['h2', 'h2', 'h3', 'h4'] as const)[token.depth] ?? 'h4';
        return (
          <Tag key={key} data-at={anchor} data-depth={token.depth}>
            {inline(token.tokens)}
          </Tag>
        );
      }
      case 'paragraph':
        return (
          <p key={key} data-at={anchor}>
            {inline(token.tokens)}
          </p>
        );
      case 'text':
        return <span key={key}>{token.tokens ? inline(token.tokens) : token.text}</span>;
      case 'code':
        return <Code key={key} text={token.text} />;
      case 'list': {
        const { ordered, items } = token as Tokens.List;
        const Tag = ordered ? 'ol' : 'ul';
        return (
          <Tag key={key}>
            {items.map((item) => (
              <li key={item.raw}>
                <Markdown tokens={item.tokens} page={page} onOpen={onOpen} />
              </li>
            ))}
          </Tag>
        );
      }
      case 'table':
        return <Table key={key} table={token as Tokens.Table} inline={inline} />;
      default:
        return null;
    }
  });
}

/** What is typed stands out from what is printed. */
function Code({ text }: { text: string }) {
  return (
    <pre>
      <code>
        {text.split('\n').map((line, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a page never change.
          <span key={at} className={line.startsWith('$ ') ? css.typed : undefined}>
            {line}
            {'\n'}
          </span>
        ))}
      </code>
    </pre>
  );
}

function Table(props: {
  table: Tokens.Table;
  inline: (tokens: readonly Token[] | undefined) => ReactNode;
}) {
  const { table, inline } = props;
  const cell = (one: Tokens.TableCell, column: number) => (
    <td key={column} data-align={one.align ?? undefined}>
      {inline(one.tokens)}
    </td>
  );
  return (
    <table>
      <thead>
        <tr>
          {table.header.map((one, column) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the columns of a page never change.
            <th scope="col" key={column} data-align={one.align ?? undefined}>
              {inline(one.tokens)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {table.rows.map((row, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a page never change.
          <tr key={at} data-at={anchorOfRow(row)}>
            {row.map(cell)}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Inline({ token, page, onOpen }: { token: Token } & Omit<MarkdownProps, 'tokens'>) {
  const inner = (): ReactNode =>
    'tokens' in token && token.tokens
      ? token.tokens.map((one, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the tokens of a page never change.
          <Inline key={at} token={one} page={page} onOpen={onOpen} />
        ))
      : token.raw;
  switch (token.type) {
    case 'text':
    case 'escape':
      return 'tokens' in token && token.tokens ? inner() : token.text;
    case 'codespan':
      return <code>{token.text}</code>;
    case 'strong':
      return <strong>{inner()}</strong>;
    case 'em':
      return <em>{inner()}</em>;
    case 'br':
      return <br />;
    case 'link': {
      const place = target(token.href, page);
      if (place !== null) return <Link onPress={() => onOpen(place)}>{inner()}</Link>;
      return /^https?:/.test(token.href) && token.text !== token.href ? (
        <>
          {inner()} (<span className={css.address}>{token.href}</span>)
        </>
      ) : (
        inner()
      );
    }
    case 'image': {
      const source = picture(token.href);
      return source === null ? `[${token.text}]` : <img src={source} alt={token.text} />;
    }
    default:
      return null;
  }
}
