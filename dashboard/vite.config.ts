import { join } from 'node:path';
import { defineConfig, type HtmlTagDescriptor } from 'vite';

const here = import.meta.dirname;

/** Nothing is loaded from elsewhere and nobody else is asked but the API: what a page shows of a venue’s text cannot act. */
function policy(apiUrl: string | undefined): HtmlTagDescriptor {
  const api = apiUrl ? ` ${new URL(apiUrl).origin}` : '';
  const content = `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'${api}; base-uri 'none'; form-action 'none'`;
  return { tag: 'meta', attrs: { 'http-equiv': 'Content-Security-Policy', content }, injectTo: 'head-prepend' };
}

export default defineConfig({
  root: here,
  base: '/',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [{ name: 'policy', apply: 'build', transformIndexHtml: () => [policy(process.env.VITE_API_URL)] }],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    // Each page is a file of its own, so that any static host can serve it: / and /docs/.
    rolldownOptions: { input: { main: join(here, 'index.html'), docs: join(here, 'docs', 'index.html') } },
  },
});
