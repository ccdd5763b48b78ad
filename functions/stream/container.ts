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
const onListen = ({ port }: { port: number }): void => log.note(`Listening on port ${port}.`);
const server = Deno.serve({ port: settings.port, onListen }, (request) => service.fetch(request));
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  Deno.addSignalListener(signal, async () => {
    await service.drain(1_000);
    await Promise.race([server.shutdown(), new Promise((resolve) => setTimeout(resolve, 1_000))]);
    Deno.exit(0);
  });
}
