import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { guideFiles } from '../../dashboard/guides/table.ts';
import { pageHeaders } from '../../dashboard/headers.ts';
import { addresses } from '../../dashboard/src/addresses.ts';
import { type BuiltPages, buildDashboard } from './support/build.ts';
import { pagesOfRun } from './support/page.ts';
import { serveSite } from './support/site.ts';

let pages: BuiltPages;
let site: Awaited<ReturnType<typeof serveSite>>;
beforeAll(async () => {
  pages = await pagesOfRun('dashboard');
  site = await serveSite(pages.folder, 1);
});
afterAll(async () => {
  await site.close();
});

const page = (path: string) => readFileSync(join(pages.folder, path), 'utf8');

const assets = () => readdirSync(join(pages.folder, 'assets')).filter((name) => name.endsWith('.js'));

/** A script with its static imports. Dynamic imports are the scripts of other pages. */
function withImports(names: readonly string[]): Set<string> {
  const found = new Set<string>();
  const waiting = [...names];
  for (let name = waiting.pop(); name; name = waiting.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    const imported = page(`assets/${name}`).matchAll(/(?:from|import)\s*["'`]\.\/([^"'`]+\.js)["'`]/g);
    waiting.push(...[...imported].map(([, file = '']) => file));
  }
  return found;
}

const scriptsOf = (path: string): string[] =>
  [...page(path).matchAll(/(?:src|href)="\/assets\/([^"]+\.js)"/g)].map(([, name = '']) => name);

/** The texts of all guides, loaded when the search is opened. */
const isSearch = (name: string): boolean => /^(virtual_guide_texts|search_index)-/.test(name);

/** The blocks of one guide, loaded when it is opened. */
const isGuide = (name: string): boolean => name.startsWith('virtual_guide_') && !isSearch(name);

const gzipped = (names: Iterable<string>): number =>
  [...names].reduce((sum, name) => sum + gzipSync(page(`assets/${name}`)).byteLength, 0);

test('each page loads less than 150 KB of script in total, gzip', () => {
  const shell = scriptsOf('index.html');
  const lazy = assets().filter((name) => /_page-[^/]*\.js$/.test(name));
  expect(lazy.length).toBeGreaterThanOrEqual(addresses.length);
  for (const name of lazy) expect(gzipped(withImports([...shell, name])), name).toBeLessThan(150 * 1024);
  const docs = withImports(scriptsOf('docs/index.html'));
  const guides = assets().filter(isGuide);
  expect(guides).toHaveLength(guideFiles.length);
  const search = assets().filter(isSearch);
  expect(search).toHaveLength(2);
  expect(search.filter((name) => docs.has(name))).toEqual([]);
  for (const guide of guides) expect(gzipped([...docs, guide, ...search]), guide).toBeLessThan(150 * 1024);
});

test('only the documentation contains the guides', () => {
  const guideTitle = 'Frames of the stream';
  const withTitle = assets().filter((name) => page(`assets/${name}`).includes(guideTitle));
  expect(withTitle.length).toBeGreaterThan(0);
  const dashboard = assets().filter((name) => /_page-[^/]*\.js$/.test(name));
  const loaded = withImports([...scriptsOf('index.html'), ...dashboard]);
  expect(withTitle.filter((name) => loaded.has(name))).toEqual([]);
});

test('the build writes the document to every address and to 404.html', () => {
  for (const path of [...addresses.map((address) => `${address}/index.html`), '404.html']) {
    expect(page(path), path).toBe(page('index.html'));
  }
  const withoutTitle = (path: string) => page(path).replace(/<title>.*<\/title>/, '');
  for (const { slug } of guideFiles) {
    expect(withoutTitle(`docs/${slug}/index.html`), slug).toBe(withoutTitle('docs/index.html'));
  }
});

test('no package in the bundle is a development dependency, or npm audit --omit=dev would miss it', () => {
  const lock = JSON.parse(readFileSync(join(import.meta.dirname, '../../package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean }>;
  };
  const places = pages.modules.map((id) => /(?:.*\/)?(node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1]);
  const bundled = [...new Set(places)].filter((place) => place !== undefined);
  expect(bundled).toContain('node_modules/preact');
  expect(bundled).toContain('node_modules/uplot');
  expect(bundled.filter((place) => lock.packages[place]?.dev !== undefined || !(place in lock.packages))).toEqual([]);
});

test('no built file names another host', () => {
  for (const path of readdirSync(pages.folder, { recursive: true, encoding: 'utf8' })) {
    // The text of a guide may name a host.
    if (!/\.(js|css|html)$/.test(path) || basename(path).startsWith('virtual_guide_')) continue;
    const hosts = [...page(path).matchAll(/https?:\/\/([\w.-]+)/g)].map(([, host = '']) => host);
    // XML namespaces, and hosts in messages and defaults of @supabase/supabase-js. None is
    // contacted.
    const named = ['www.w3.org', 'supabase.com', 'github.com', 'localhost', 'here.invalid'];
    expect(
      hosts.filter((host) => !named.includes(host)),
      path,
    ).toEqual([]);
  }
});

test('the Content-Security-Policy of each page allows only its own scripts and the API', () => {
  for (const path of ['index.html', 'docs/index.html']) {
    expect(page(path)).toMatch(/Content-Security-Policy" content="default-src [^"]*script-src [^"]*connect-src/);
    expect(page(path)).not.toMatch(/<script(?![^>]* src=)/);
  }
});

test('_headers, for Cloudflare Pages and Netlify, has the policy of the pages, all headers of the gateway, and HSTS', () => {
  const policy = /Content-Security-Policy" content="([^"]+)"/.exec(page('index.html'))?.[1]?.replaceAll('&#39;', "'");
  const headers = page('_headers');
  expect(headers).toContain(`  Content-Security-Policy: ${policy}; frame-ancestors 'none'\n`);
  const { 'Content-Security-Policy': framing, ...others } = pageHeaders;
  expect(framing).toBe("frame-ancestors 'none'");
  expect(Object.keys(others)).toHaveLength(5);
  for (const [name, value] of Object.entries(others)) expect(headers).toContain(`\n  ${name}: ${value}\n`);
  expect(headers).toContain('\n  Strict-Transport-Security: max-age=31536000\n');
  // Cloudflare ignores longer lines.
  for (const line of headers.split('\n')) expect(line.length).toBeLessThan(2_000);
});

test('no source file writes markup into the DOM or calls eval', () => {
  const folder = join(import.meta.dirname, '../../dashboard/src');
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/\.tsx?$/.test(path)) continue;
    expect(readFileSync(join(folder, path), 'utf8'), path).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|\beval\(/,
    );
  }
});

test.each(['/docs', '/docs/', '/docs?x=1'])('%s serves the documentation', async (path) => {
  const answer = await fetch(site.base + path);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(await answer.text()).toContain('API reference');
});

test('the gateway serves /config.json with the publishable key', async () => {
  const answer = await fetch(`${site.base}/config.json`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json']);
  expect(await answer.json()).toEqual({ publishable_key: 'sb_publishable_of_a_test' });
});

describe('a build for a hosted project', () => {
  const secretClaims = Buffer.from(JSON.stringify({ role: 'service_role' })).toString('base64url');
  const builtWith = async (key: string) => {
    vi.stubEnv('VITE_SUPABASE_URL', 'https://abc.supabase.co');
    vi.stubEnv('VITE_SUPABASE_PUBLISHABLE_KEY', key);
    try {
      return await buildDashboard();
    } finally {
      vi.unstubAllEnvs();
    }
  };

  test('contains the key of the project and may connect to that project only', async () => {
    const built = await builtWith('sb_publishable_elsewhere');
    const document = readFileSync(join(built.folder, 'index.html'), 'utf8').replaceAll('&#39;', "'");
    expect(document).toContain("connect-src 'self' https://abc.supabase.co wss://abc.supabase.co;");
    const scripts = readdirSync(join(built.folder, 'assets')).map((name) =>
      readFileSync(join(built.folder, 'assets', name), 'utf8'),
    );
    expect(scripts.some((text) => text.includes('sb_publishable_elsewhere'))).toBe(true);
    rmSync(built.folder, { recursive: true });
  });

  test.each(['sb_secret_x', `e30.${secretClaims}.x`])('fails with the secret key %s', async (key) => {
    await expect(builtWith(key)).rejects.toThrow(/secret key/);
  });
});
