import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildPages, serveSite } from './support/site.ts';

let pages: Awaited<ReturnType<typeof buildPages>>;
let site: Awaited<ReturnType<typeof serveSite>>;
beforeAll(async () => {
  pages = await buildPages();
  site = await serveSite(pages.folder, 1);
});
afterAll(async () => {
  await site.close();
  pages.remove();
});

const page = (path: string) => readFileSync(join(pages.folder, path), 'utf8');

/** The scripts that a page loads: its own and those that it imports. */
function scriptsOf(path: string): string[] {
  const named = [...page(path).matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map(([, name = '']) => name);
  const imported = named.flatMap((name) =>
    [...page(name).matchAll(/(?:from|import)\s*["']\.\/([^"']+\.js)["']/g)].map(([, file = '']) => `assets/${file}`),
  );
  return [...new Set([...named, ...imported])];
}

test.each(['index.html', 'docs/index.html'])('%s ships under 150 KB of script, gzip', (path) => {
  const scripts = scriptsOf(path);
  expect(scripts.length).toBeGreaterThan(1);
  const bytes = scripts.reduce((sum, name) => sum + gzipSync(page(name)).byteLength, 0);
  expect(bytes).toBeLessThan(150 * 1024);
});

test('nothing that is built names another host', () => {
  for (const path of readdirSync(pages.folder, { recursive: true, encoding: 'utf8' })) {
    if (!/\.(js|css|html)$/.test(path)) continue;
    const hosts = [...page(path).matchAll(/https?:\/\/([\w.-]+)/g)].map(([, host]) => host);
    // XML namespaces are names, not addresses.
    expect(
      hosts.filter((host) => host !== 'www.w3.org'),
      path,
    ).toEqual([]);
  }
});

test('each page lets only its own scripts run and only the API be asked', () => {
  for (const path of ['index.html', 'docs/index.html']) {
    expect(page(path)).toMatch(/Content-Security-Policy" content="default-src [^"]*script-src [^"]*connect-src/);
    expect(page(path)).not.toMatch(/<script(?![^>]* src=)/);
  }
});

test('no source turns text into markup', () => {
  const folder = join(import.meta.dirname, '../../dashboard/src');
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/\.tsx?$/.test(path)) continue;
    expect(readFileSync(join(folder, path), 'utf8'), path).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|\beval\(/,
    );
  }
});

test.each(['/docs', '/docs/', '/docs?x=1'])('%s is the reference', async (path) => {
  const answer = await fetch(site.base + path);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(await answer.text()).toContain('API reference');
});
