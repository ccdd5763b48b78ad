import { Health } from '../_shared/container/health.ts';
import { endsWithin, stopOnSignal } from '../_shared/container/stop.ts';
import { createLog, levelOf } from '../_shared/log.ts';
import { serve } from './service.ts';
import { settingsOf } from './settings.ts';
import { SocketServer } from './websocket_server.ts';

/**
 * `deno task stream`: serves the stream on its own port without a time limit. SIGTERM and SIGINT
 * stop it in order.
 */

const settings = { ...settingsOf((name) => Deno.env.get(name)), wallClockSeconds: null, cpuSeconds: null };
const log = createLog({ function: 'stream', minLevel: levelOf(Deno.env.get('LOG_LEVEL')) });
const service = serve(settings, log);
const health = new Health({
  service: 'stream',
  failing: () => service.failing(),
  isDraining: () => stopping.isDraining,
});
const server = new SocketServer({
  fetch: (request, peer, upgrade) => health.respond(request) ?? service.fetch(request, peer, upgrade),
});
await server.listen(settings.listenAt);
log.note(`Listening at ${settings.listenAt}.`);
const stopping = stopOnSignal({
  runtime: Deno,
  log,
  async stop() {
    await service.drain(1_000);
    await endsWithin(server.close(), 1_000);
  },
});
