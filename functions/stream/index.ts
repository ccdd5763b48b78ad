import { createLog, levelOf } from '../_shared/log.ts';
import { serve } from './service.ts';
import { settingsOf } from './settings.ts';

/**
 * The stream function: a worker of the platform, which lives for 150 or 400 seconds. Before that is over it hands its connections over.
 * The same without limit: container.ts.
 */

declare const EdgeRuntime: { waitUntil(work: Promise<unknown>): void } | undefined;

const service = serve(
  settingsOf((name) => Deno.env.get(name)),
  // Pings of the protocol notice who is gone; the platform's own would be a second set of timers.
  (request) => Deno.upgradeWebSocket(request, { idleTimeout: 0 }),
  createLog({ function: 'stream', least: levelOf(Deno.env.get('LOG_LEVEL')) }),
);
let held = false;

async function untilIdle(): Promise<void> {
  held = true;
  await service.idle();
  held = false;
}

addEventListener('beforeunload', () => void service.leave(0));

export default {
  fetch(request: Request): Response {
    const response = service.fetch(request);
    // The worker stays for as long as there are connections, not only for as long as it answers requests.
    if (!held && response.status === 101 && typeof EdgeRuntime !== 'undefined') EdgeRuntime.waitUntil(untilIdle());
    return response;
  },
};
