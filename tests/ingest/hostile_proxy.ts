import { createServer } from 'node:http';
import { listen, sendEndlessly } from './hostile_venue.ts';

export type HostileProxy = {
  port: number;
  /** Requests since `turn`. */
  asked(): number;
  /** From now on no answer ends or fits. */
  turn(): void;
  close(): void;
};

/**
 * Passes requests on to a simulated venue_a, until it turns hostile: listings are nested too deep,
 * and books never end or arrive byte by byte.
 */
export async function startHostileProxy(venue: string): Promise<HostileProxy> {
  let isHostile = false;
  let asked = 0;
  const server = createServer(async (request, response) => {
    const path = request.url ?? '/';
    if (isHostile) {
      asked += 1;
      if (path.includes('/events') || path.includes('/series')) response.end('['.repeat(5e6) + ']'.repeat(5e6));
      else if (asked % 2 === 0) void sendEndlessly(response, Buffer.alloc(1_048_576, 'x'));
      else {
        const timer = setInterval(() => response.write(' '), 50);
        response.on('close', () => clearInterval(timer));
      }
      return;
    }
    const answer = await fetch(new URL(path, venue));
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  return {
    port: await listen(server),
    asked: () => asked,
    turn() {
      isHostile = true;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
