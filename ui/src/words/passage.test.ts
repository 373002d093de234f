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

  it.each([
    ['2026-05-18T09:30:00Z WARN pool exhausted', true],
    ['[09:30:12] compiled in 4 s', true],
    ['    at handle (src/server.ts:41:7)', true],
    ['  File "app/main.py", line 12, in run', true],
    ['diff --git a/x.ts b/x.ts', true],
    ['$ npm test', true],
    ['/home/dana/work/harbor/config/dev.exs:14', true],
    ['lib/harbor/tide.ex', false],
    ['{"port": 4117, "host": "localhost"}', true],
    ['    return port + 1', true],
    ['    - an item of a list', false],
    ['    2. another one', false],
    ['At 09:30 we met; it was decided.', false],
    ['[a link](https://example.org/x) and more', false],
    ['I prefer /etc over /opt for this.', false],
  ])('%j stands in one width: %s', (line, code) => {
    expect(passage(`Look:\n${line}`, []).at(1)?.code).toBe(code);
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
