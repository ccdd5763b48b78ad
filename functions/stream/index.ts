import { createLog, levelOf } from '../_shared/log.ts';
import { serve } from './service.ts';
import { settingsOf } from './settings.ts';

/**
 * The stream function: a worker of the platform that lives for 150 or 400 seconds and hands over
 * its connections before its end. container.ts runs the same without a limit.
 */

declare const EdgeRuntime: { waitUntil(work: Promise<unknown>): void } | undefined;

const service = serve(
  settingsOf((name) => Deno.env.get(name)),
  // The protocol's own pings detect dead clients. The platform's idle timeout would be a second set
  // of timers.
  (request) => Deno.upgradeWebSocket(request, { idleTimeout: 0 }),
  createLog({ function: 'stream', minLevel: levelOf(Deno.env.get('LOG_LEVEL')) }),
);
let isKeptAlive = false;

async function keepAlive(): Promise<void> {
  isKeptAlive = true;
  await service.idle();
  isKeptAlive = false;
}

addEventListener('beforeunload', () => void service.drain(0));

export default {
  fetch(request: Request): Response {
    const response = service.fetch(request);
    // The worker stays as long as it has connections, not only as long as it answers requests.
    if (!isKeptAlive && response.status === 101 && typeof EdgeRuntime !== 'undefined')
      EdgeRuntime.waitUntil(keepAlive());
    return response;
  },
};
