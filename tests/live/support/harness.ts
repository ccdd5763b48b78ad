import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { serveDocument, serveSite } from '../../dashboard/support/site.ts';
import { temporaryFolder } from '../../support/temporary_folder.ts';

const root = join(import.meta.dirname, '../harness');

/** A /health response whose times are those of the request. */
const health = (state: string) => ({
  status: 'ok',
  version: '2.0.0',
  get time() {
    return new Date().toISOString();
  },
  venues: {
    venue_a: {
      state,
      source: 'simulated',
      get last_message_at() {
        return new Date().toISOString();
      },
    },
    venue_b: null,
  },
});

/** The live pages on recorded frames, built like the dashboard and served by the gateway. */
export async function serveHarness(): Promise<{ base: string; close(): Promise<void> }> {
  const folder = temporaryFolder('harness');
  await build({
    root,
    configFile: false,
    base: '/',
    publicDir: join(import.meta.dirname, '../../../dashboard/public'),
    logLevel: 'error',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: 'es2022',
      cssTarget: ['chrome123'],
      modulePreload: { polyfill: false },
    },
  });
  const api = await serveDocument(health('up'));
  const site = await serveSite(folder, api.port);
  return {
    base: site.base,
    close: async () => {
      await site.close();
      await api.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
