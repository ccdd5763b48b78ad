import { createLog, levelOf } from '../_shared/log.ts';
import { serve } from './service.ts';
import { settingsOf } from './settings.ts';

/** `deno task stream`: the same, for ever, on a port of its own. SIGTERM and SIGINT end it in order. */

const settings = { ...settingsOf((name) => Deno.env.get(name)), wallClockSeconds: null, cpuSeconds: null };
const log = createLog({ function: 'stream', least: levelOf(Deno.env.get('LOG_LEVEL')) });
const service = serve(settings, (request) => Deno.upgradeWebSocket(request, { idleTimeout: 0 }), log);
const server = Deno.serve({ port: settings.port, onListen: ({ port }) => log.say(`listens on ${port}`) }, (request) =>
  service.fetch(request),
);
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  Deno.addSignalListener(signal, async () => {
    await service.leave(1_000);
    await Promise.race([server.shutdown(), new Promise((resolve) => setTimeout(resolve, 1_000))]);
    Deno.exit(0);
  });
}
