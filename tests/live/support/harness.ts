import { pagesOfRun } from '../../dashboard/support/page.ts';
import { serveDocument, serveSite } from '../../dashboard/support/site.ts';

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

/** Serves the live pages on recorded frames with the gateway. */
export async function serveHarness(): Promise<{ base: string; close(): Promise<void> }> {
  const { folder } = await pagesOfRun('harness');
  const api = await serveDocument(health('up'));
  const site = await serveSite(folder, api.port);
  return { base: site.base, close: () => Promise.all([site.close(), api.close()]).then(() => {}) };
}
