import { createLog, levelOf } from '../_shared/log.ts';
import { serve, type Upgrade } from './service.ts';
import { settingsOf } from './settings.ts';

/**
 * The stream function: a worker of the platform that lives for 150 or 400 seconds and hands over
 * its connections before its end. container.ts runs the same without a limit.
 */

declare const EdgeRuntime: { waitUntil(work: Promise<unknown>): void } | undefined;

const service = serve(
  settingsOf((name) => Deno.env.get(name)),
  createLog({ function: 'stream', minLevel: levelOf(Deno.env.get('LOG_LEVEL')) }),
);
let isKeptAlive = false;

async function keepAlive(): Promise<void> {
  isKeptAlive = true;
  await service.idle();
  isKeptAlive = false;
}

function upgrade(request: Request): ReturnType<Upgrade<Response>> {
  // The protocol's own pings detect dead clients. The platform's idle timeout would be a second set
  // of timers.
  const { response, socket } = Deno.upgradeWebSocket(request, { idleTimeout: 0 });
  return {
    response,
    socket,
    listen(events) {
      socket.onmessage = ({ data }) => events.message(data);
      socket.onclose = () => events.gone();
      // A close event follows.
      socket.onerror = () => {};
    },
  };
}

addEventListener('beforeunload', () => void service.drain(0));

export default {
  fetch(request: Request): Response {
    // The TCP connection is that of the platform's relay, so its peer is no client.
    const response = service.fetch(request, null, () => upgrade(request));
    // The worker stays as long as it has connections, not only as long as it answers requests.
    if (!isKeptAlive && response.status === 101 && typeof EdgeRuntime !== 'undefined')
      EdgeRuntime.waitUntil(keepAlive());
    return response;
  },
};
