import { CpuMeter, processCpu } from '../_shared/cpu.ts';
import { requestIdOf } from '../_shared/http/request_id.ts';
import type { Log } from '../_shared/log.ts';
import { CpuBudget, MEASURED_CPU_MS } from './cpu_budget.ts';
import { Hub } from './hub.ts';
import { connect, StreamQueries } from './queries.ts';
import { RealtimeLine } from './realtime_connection.ts';
import type { Settings } from './settings.ts';

/** What the runtime makes of an upgrade request: the response, and the socket that it becomes. */
export type Upgrade = (request: Request) => { response: Response; socket: WebSocket };

export type Service = {
  fetch(request: Request): Response;
  /** Resolves when nobody is connected, or everybody has gone after `leave`. */
  idle(): Promise<void>;
  /** Takes nobody any more and ends all connections with the advice to come back; resolves when they are told. Asked again with 0, it hurries. */
  leave(spreadMs: number): Promise<void>;
};

/** Begins to hand over so long before the worker's end, and takes so long over it. */
const handOverMs = 25_000;
const spreadMs = 10_000;
const lookAtCpuMs = 500;

/** The stream function of either kind: an Edge Function within its wall clock, or a container without. */
export function serve(settings: Settings, upgrade: Upgrade, log: Log): Service {
  const server = crypto.randomUUID();
  // Its statements are those of many listeners at once: what ties them together is the isolate.
  const pool = connect(settings.databaseUrl, log.say, settings.databaseConnections, server);
  const queries = new StreamQueries(pool, server);
  log.write('info', 'isolate.began', {}, server);
  const hub = new Hub({ queries, recheckMs: settings.recheckSeconds * 1000, version: 'parallax 2.0.0', log: log.say });
  const realtime = settings.realtime ? listen(settings.realtime, hub, log.say) : undefined;
  let leaving: Promise<void> | undefined;
  let watching: ReturnType<typeof setInterval> | undefined;
  let tell = (): void => {};
  const over = new Promise<void>((resolve) => {
    tell = resolve;
  });

  const leave = (spread: number): Promise<void> => {
    if (spread === 0) hub.drainNow();
    clearInterval(watching);
    leaving ??= (async () => {
      await hub.drain(spread);
      hub.stop();
      await realtime?.stop();
      await queries.end();
      tell();
    })();
    return leaving;
  };
  if (settings.wallClockSeconds !== null) {
    const left = Math.max(settings.wallClockSeconds * 1000 - handOverMs, settings.wallClockSeconds * 500);
    setTimeout(() => void leave(Math.min(spreadMs, left / 2)), left);
  }
  if (settings.cpuSeconds !== null) {
    const budget = budgetOf(settings.cpuSeconds);
    watching = setInterval(() => {
      const spread = budget.handOver(hub.work);
      if (spread === null) return;
      log.write('info', 'isolate.spent', { spread_ms: Math.round(spread) }, server);
      void leave(spread);
    }, lookAtCpuMs);
  }

  return {
    idle: () => Promise.race([hub.empty(), over]),
    leave,
    fetch(request) {
      const requestId = requestIdOf(request.headers);
      const refuse = (status: number, code: string, error: string, headers: Record<string, string>): Response => {
        log.write(status >= 500 ? 'warn' : 'debug', 'request.refused', { status, code }, requestId);
        return refusal(status, code, error, headers, requestId);
      };
      if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket') {
        return refuse(426, 'stream.upgrade', 'This address speaks WebSocket alone.', { Upgrade: 'websocket' });
      }
      if (leaving || hub.size >= settings.mostConnections) {
        return refuse(503, 'stream.full', 'This server takes no connections right now: try again.', {
          'Retry-After': '1',
        });
      }
      let made: ReturnType<Upgrade>;
      try {
        made = upgrade(request);
      } catch {
        return refuse(400, 'stream.handshake', 'This is no WebSocket handshake.', {});
      }
      attend(made.socket, hub);
      log.write('debug', 'connection.opened', { server_id: server }, requestId);
      return made.response;
    },
  };
}

function budgetOf(cpuSeconds: number): CpuBudget {
  const now = () => Date.now();
  return new CpuBudget({ meter: new CpuMeter({ read: processCpu, estimate: MEASURED_CPU_MS, now }), cpuSeconds, now });
}

function listen(at: { url: string; apikey: string }, hub: Hub, log: (line: string) => void): RealtimeLine {
  const { reader } = hub;
  const line = new RealtimeLine({
    ...at,
    log,
    make: (url, _, on) => {
      const socket = new WebSocket(url);
      socket.onopen = () => on.open();
      socket.onmessage = ({ data }) => typeof data === 'string' && on.message(data);
      socket.onclose = ({ code, reason }) => on.close(`${code} ${reason}`.trim());
      socket.onerror = () => {};
      return { send: (text) => socket.send(text), close: () => socket.close() };
    },
    on: {
      // What was committed while nobody listened is in the log.
      joined: (topic) => reader.look(topic),
      left: (topic) => reader.look(topic),
      heard: (topic, broadcast) => reader.heard(topic, broadcast),
    },
  });
  line.start();
  reader.listen(line);
  return line;
}

function attend(socket: WebSocket, hub: Hub): void {
  const connection = hub.open(socket);
  socket.onmessage = ({ data }) => connection.receive(data);
  socket.onclose = () => connection.gone();
  // A close follows.
  socket.onerror = () => {};
}

function refusal(
  status: number,
  code: string,
  error: string,
  headers: Record<string, string>,
  request_id: string,
): Response {
  return new Response(JSON.stringify({ error, code, request_id }), {
    status,
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Request-Id': request_id,
      ...headers,
    },
  });
}
