import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { defineConfig, type HtmlTagDescriptor, type Plugin } from 'vite';
import { copyToGuides, guidesPlugin } from './guides/plugin.ts';
import { headersFile } from './headers.ts';
import { addresses } from './src/addresses.ts';

const here = import.meta.dirname;
const { VITE_API_URL, VITE_SUPABASE_URL, VITE_SUPABASE_PUBLISHABLE_KEY } = process.env;

/**
 * The Content-Security-Policy of the built pages: scripts and styles of this site only, requests to
 * this site, the Supabase project and its API only. Markup in a venue's text could not run or load
 * anything.
 */
function policy(): string {
  const origins = new Set(["'self'"]);
  for (const url of [VITE_API_URL, VITE_SUPABASE_URL]) if (url) origins.add(new URL(url).origin);
  if (VITE_SUPABASE_URL) origins.add(new URL(VITE_SUPABASE_URL).origin.replace(/^http/, 'ws'));
  const connect = [...origins].join(' ');
  return `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src ${connect}; base-uri 'none'; form-action 'none'`;
}

const policyTag = (): HtmlTagDescriptor => ({
  tag: 'meta',
  attrs: { 'http-equiv': 'Content-Security-Policy', content: policy() },
  injectTo: 'head-prepend',
});

/**
 * Copies index.html to the path of each page and to 404.html, so that a static host (a bucket,
 * GitHub Pages) opens every address without rewrite rules.
 */
function copyToAddresses(folder: string): void {
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
    transformIndexHtml: () => [policyTag()],
    closeBundle: () => {
      copyToAddresses(folder);
      copyToGuides(folder);
      writeFileSync(join(folder, '_headers'), headersFile(policy()));
    },
  };
}

/** Stops the build when the key is a secret key: everything in the build is public. */
function rejectSecretKey(): void {
  const key = VITE_SUPABASE_PUBLISHABLE_KEY ?? '';
  const claims = key.split('.')[1];
  const role = claims ? Buffer.from(claims, 'base64url').toString('utf8') : '';
  if (key.startsWith('sb_secret_') || /"role"\s*:\s*"(?!anon")/.test(role)) {
    throw new Error('VITE_SUPABASE_PUBLISHABLE_KEY is a secret key. Set the publishable key instead.');
  }
}
rejectSecretKey();

export default defineConfig({
  root: here,
  base: '/',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [guidesPlugin(), site()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    // The first versions with light-dark(), so that the build keeps it.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    modulePreload: { polyfill: false },
    // The dashboard and the documentation are separate documents.
    rolldownOptions: { input: { main: join(here, 'index.html'), docs: join(here, 'docs', 'index.html') } },
  },
});
