import { Health } from '../_shared/container/health.ts';
import { endsWithin, stopOnSignal } from '../_shared/container/stop.ts';
import { createLog, levelOf } from '../_shared/log.ts';
import { serve } from './service.ts';
import { settingsOf } from './settings.ts';

/**
 * `deno task stream`: serves the stream on its own port without a time limit. SIGTERM and SIGINT
 * stop it in order.
 */

const settings = { ...settingsOf((name) => Deno.env.get(name)), wallClockSeconds: null, cpuSeconds: null };
const log = createLog({ function: 'stream', minLevel: levelOf(Deno.env.get('LOG_LEVEL')) });
const service = serve(settings, (request) => Deno.upgradeWebSocket(request, { idleTimeout: 0 }), log);
const health = new Health({
  service: 'stream',
  failing: () => service.failing(),
  isDraining: () => stopping.isDraining,
});
const onListen = ({ port }: { port: number }): void => log.note(`Listening on port ${port}.`);
const server = Deno.serve(
  { port: settings.port, onListen },
  (request) => health.respond(request) ?? service.fetch(request),
);
const stopping = stopOnSignal({
  runtime: Deno,
  log,
  async stop() {
    await service.drain(1_000);
    await endsWithin(server.shutdown(), 1_000);
  },
});
