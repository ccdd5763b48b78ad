import { copyFileSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { defineConfig, type HtmlTagDescriptor, type Plugin } from 'vite';
import { addresses } from './src/addresses.ts';

const here = import.meta.dirname;
const { VITE_API_URL, VITE_SUPABASE_URL, VITE_SUPABASE_PUBLISHABLE_KEY } = process.env;

/** Nothing is loaded from elsewhere and nobody else is asked but the project and its API: what a page shows of a venue’s text cannot act. */
function policy(): HtmlTagDescriptor {
  const asked = new Set(["'self'"]);
  for (const url of [VITE_API_URL, VITE_SUPABASE_URL]) if (url) asked.add(new URL(url).origin);
  if (VITE_SUPABASE_URL) asked.add(new URL(VITE_SUPABASE_URL).origin.replace(/^http/, 'ws'));
  const connect = [...asked].join(' ');
  const content = `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src ${connect}; base-uri 'none'; form-action 'none'`;
  return { tag: 'meta', attrs: { 'http-equiv': 'Content-Security-Policy', content }, injectTo: 'head-prepend' };
}

/**
 * The same document under the address of each page, and as 404.html: a host that knows nothing of us (a bucket, GitHub Pages) then
 * opens every address. What a page shows of many is in its query.
 */
function everyAddress(folder: string): void {
  const document = join(folder, 'index.html');
  for (const path of addresses) {
    mkdirSync(join(folder, path), { recursive: true });
    copyFileSync(document, join(folder, path, 'index.html'));
  }
  copyFileSync(document, join(folder, '404.html'));
}

function site(): Plugin {
  let folder = '';
  return {
    name: 'site',
    apply: 'build',
    configResolved: (config) => {
      folder = resolve(config.root, config.build.outDir);
    },
    transformIndexHtml: () => [policy()],
    closeBundle: () => everyAddress(folder),
  };
}

/** Whatever is built in can be read by everybody: a key that opens more than a stranger may do stops the build. */
function refuseSecrets(): void {
  const key = VITE_SUPABASE_PUBLISHABLE_KEY ?? '';
  const claims = key.split('.')[1];
  const role = claims ? Buffer.from(claims, 'base64url').toString('utf8') : '';
  if (key.startsWith('sb_secret_') || /"role"\s*:\s*"(?!anon")/.test(role)) {
    throw new Error('VITE_SUPABASE_PUBLISHABLE_KEY holds a secret key: the pages take the publishable one.');
  }
}
refuseSecrets();

export default defineConfig({
  root: here,
  base: '/',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [site()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    // As old as light-dark() itself, which is then left as it is written.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    modulePreload: { polyfill: false },
    // The dashboard and the reference are documents of their own.
    rolldownOptions: { input: { main: join(here, 'index.html'), docs: join(here, 'docs', 'index.html') } },
  },
});
