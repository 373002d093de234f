import { describe, expect, it } from 'vitest';
import { excerpt, passage } from './passage';

const read = (text: string, code = false) =>
  passage(text, [], code).map((line) => line.spans.map((span) => span.text).join(''));

describe('a stored text as it is read', () => {
  it('keeps lines, takes the numbers of a listing beside them', () => {
    const lines = passage('     1→defmodule Tide do\n     2\u0009  import X', []);
    expect(lines.map(({ number, code }) => [number, code])).toEqual([
      ['1', true],
      ['2', true],
    ]);
    expect(read('…  12→  import X')).toEqual(['  import X']);
  });

  it.each([
    ['\u001b[32m4 tests\u001b[0m, 0 failures', ['4 tests, 0 failures']],
    ['[32m4 tests[0m', ['4 tests']],
    ['a[0] and b[12m]', ['a[0] and b[12m]']],
    ['one\\ntwo\\n', ['one', 'two', '']],
    ['C:\\new\\file', ['C:\\new\\file']],
    ['# Cause\nIt is **bold** and `code`', ['Cause', 'It is bold and code']],
    ['2 ** 3 ** 4', ['2 ** 3 ** 4']],
    ['```ts\nlet x = `a`;\n```', ['let x = `a`;']],
  ])('shows %j as %j', (text, wanted) => {
    expect(read(text)).toEqual(wanted);
  });

  it('breaks long JSON at its members', () => {
    const text = '{"status":"ok","checks":{"database":"up, well","queue":"idle"},"build":120}';
    expect(read(text, true)).toEqual([
      '{',
      '  "status":"ok",',
      '  "checks":{',
      '    "database":"up, well",',
      '    "queue":"idle"',
      '  },',
      '  "build":120',
      '}',
    ]);
  });

  it('keeps marks on what they marked', () => {
    const text = '\u001b[1mThe **port** is\u001b[0m\\n4117';
    const marks = [
      { start: text.indexOf('port'), end: text.indexOf('port') + 4 },
      { start: text.indexOf('4117'), end: text.length },
    ];
    const marked = passage(text, marks).flatMap((line) =>
      line.spans.filter((span) => span.marked).map((span) => [span.text, span.strong]),
    );
    expect(marked).toEqual([
      ['port', true],
      ['4117', false],
    ]);
  });

  it('begins an excerpt just before the first mark', () => {
    const text = 'one\n\ntwo\nthree\nfour';
    const lines = excerpt(passage(text, [{ start: text.indexOf('four'), end: text.length }]));
    expect(lines.map((line) => line.spans[0]?.text)).toEqual(['three', 'four']);
  });
});
