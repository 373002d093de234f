// @vitest-environment node
import { fileURLToPath } from 'node:url';
import { build, type Rollup } from 'vite';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

async function built(): Promise<Map<string, string>> {
  const result = (await build({
    root: ROOT,
    mode: 'production',
    logLevel: 'silent',
    build: { write: false },
  })) as Rollup.RollupOutput;
  return new Map(
    result.output.map((file) => [
      file.fileName,
      file.type === 'chunk' ? file.code : String(file.source),
    ]),
  );
}

it('ships no invented data, and a page that the content security policy allows', async () => {
  const files = await built();
  const code = [...files]
    .filter(([name]) => name.endsWith('.js'))
    .map(([, source]) => source)
    .join('\n');
  // A name that is there shows that the search below can find something.
  expect(code).toContain('list_memories');
  expect(code).not.toContain('9fceb02');
  expect(code).not.toContain('/home/ada');

  const page = files.get('index.html') ?? '';
  expect(page).toMatch(/<script type="module"[^>]* src="\/assets\//);
  // No inline script or style, nothing from elsewhere.
  expect(page).not.toMatch(/<script(?![^>]* src=)|<style|https?:\/\//);
  const styles = [...files]
    .filter(([name]) => name.endsWith('.css'))
    .map(([, source]) => source)
    .join('\n');
  expect(styles).toContain('@font-face');
  expect(styles).not.toMatch(/url\(["']?(data|https?):/);
}, 60_000);
