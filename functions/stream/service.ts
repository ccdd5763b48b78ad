import type { FailingCondition } from '../_shared/container/health.ts';
import { CpuMeter, processCpu, slownessOfMachine } from '../_shared/cpu.ts';
import { requestIdOf } from '../_shared/http/request_id.ts';
import type { Log } from '../_shared/log.ts';
import { createLogBrake } from '../_shared/log_brake.ts';
import { clientAddress } from './client_address.ts';
import type { ClientSocket } from './connection.ts';
import { CpuBudget, MEASURED_CPU_MS } from './cpu_budget.ts';
import { Hub } from './hub.ts';
import { connect, StreamQueries } from './queries.ts';
import { failingConditions } from './readiness.ts';
import { RealtimeConnection } from './realtime_connection.ts';
import type { Settings } from './settings.ts';

/** What happens on a socket. */
export type SocketEvents = {
  message(data: unknown): void;
  /** A ping or a pong of the WebSocket protocol arrived. Deno does not report them. */
  control(): void;
  /** The client broke the WebSocket protocol, and the runtime has sent a close frame. */
  failed(): void;
  /** The socket is gone. */
  gone(): void;
};

/**
 * Turns an upgrade request into a socket, with what the runtime answers for it. Throws where the
 * handshake is invalid.
 */
export type Upgrade<Answer> = () => {
  response: Answer;
  socket: ClientSocket;
  listen(events: SocketEvents): void;
};

export type Service = {
  /** `peer`: the address of the TCP connection, where it is known. */
  fetch<Answer>(request: Request, peer: string | null, upgrade: Upgrade<Answer>): Response | Answer;
  /** Resolves when no client is connected, or when the drain is done. */
  idle(): Promise<void>;
  /**
   * Accepts no more connections and ends all of them with a code that makes clients reconnect.
   * Resolves when clients have received it. A second call with 0 ends them at once.
   */
  drain(spreadMs: number): Promise<void>;
  /** The conditions of readiness that do not hold. */
  failing(): Promise<FailingCondition[]>;
};

/** The worker starts its handover this long before its end, and spreads it over this time. */
const HANDOVER_MS = 25_000;
const SPREAD_MS = 10_000;
const CPU_CHECK_MS = 500;

/** The stream function, as an Edge Function with a time limit or as a container without one. */
export function serve(settings: Settings, log: Log): Service {
  const server = crypto.randomUUID();
  const logRejection = createLogBrake(log);
  // Its queries serve many clients at once, so their request id is that of the isolate.
  const now = () => Date.now();
  const meter = new CpuMeter({ read: processCpu, estimate: MEASURED_CPU_MS, now, slowness: slownessOfMachine });
  const pool = connect(settings.databaseUrl, log.note, settings.databaseConnections, server, () =>
    meter.charge(MEASURED_CPU_MS.queryMs),
  );
  const queries = new StreamQueries(pool, server);
  log.write('info', 'isolate.started', {}, server);
  const hub = new Hub({
    queries,
    limits: settings,
    recheckMs: settings.recheckSeconds * 1000,
    version: 'parallax 2.0.0',
    log: log.note,
  });
  const realtime = settings.realtime ? joinRealtime(settings.realtime, hub, log.note) : undefined;
  let draining: Promise<void> | undefined;
  let cpuCheck: ReturnType<typeof setInterval> | undefined;
  let markDrained = (): void => {};
  const drained = new Promise<void>((resolve) => {
    markDrained = resolve;
  });

  const drain = (spread: number): Promise<void> => {
    if (spread === 0) hub.drainNow();
    clearInterval(cpuCheck);
    draining ??= (async () => {
      await hub.drain(spread);
      hub.stop();
      await realtime?.stop();
      await queries.end();
      log.write(
        'info',
        'isolate.ended',
        { ...hub.work, cpu_ms: Math.round(meter.usedMs), measured: meter.isMeasured },
        server,
      );
      markDrained();
    })();
    return draining;
  };
  if (settings.wallClockSeconds !== null) {
    const left = Math.max(settings.wallClockSeconds * 1000 - HANDOVER_MS, settings.wallClockSeconds * 500);
    setTimeout(() => void drain(Math.min(SPREAD_MS, left / 2)), left);
  }
  if (settings.cpuSeconds !== null) {
    const budget = new CpuBudget({ meter, cpuSeconds: settings.cpuSeconds, now: () => Date.now() });
    cpuCheck = setInterval(() => {
      const spread = budget.handoverSpreadMs(hub.work);
      if (spread === null) return;
      log.write('info', 'isolate.cpu_exhausted', { spread_ms: Math.round(spread) }, server);
      void drain(spread);
    }, CPU_CHECK_MS);
  }

  return {
    idle: () => Promise.race([hub.empty(), drained]),
    drain,
    failing: () => failingConditions(queries, hub.isFull),
    fetch(request, peer, upgrade) {
      const requestId = requestIdOf(request.headers);
      const address = clientAddress(request.headers, settings.addressHeader, peer);
      const rejection = upgradeRejection(request, hub, address, draining !== undefined);
      if (rejection) return reject(rejection, requestId, logRejection);
      let upgraded: ReturnType<typeof upgrade>;
      try {
        upgraded = upgrade();
      } catch {
        return reject(REJECTIONS.handshake, requestId, logRejection);
      }
      const connection = hub.open(upgraded.socket, address);
      upgraded.listen({
        message: (data) => connection.receive(data),
        control: () => connection.receiveControl(),
        failed: () => connection.end('malformed'),
        gone: () => connection.gone(),
      });
      log.write('debug', 'connection.opened', { server_id: server }, requestId);
      return upgraded.response;
    },
  };
}

type Rejection = { status: number; code: string; error: string; headers?: Record<string, string> };

const REJECTIONS = {
  noUpgrade: {
    status: 426,
    code: 'stream.upgrade',
    error: 'This address accepts WebSocket connections only.',
    headers: { Upgrade: 'websocket' },
  },
  full: {
    status: 503,
    code: 'stream.full',
    error: 'This server accepts no new connections right now. Retry after 1 second.',
    headers: { 'Retry-After': '1' },
  },
  addressFull: {
    status: 429,
    code: 'stream.address_full',
    error: 'Your address has too many connections without an accepted ticket. Retry after 5 seconds.',
    headers: { 'Retry-After': '5' },
  },
  handshake: {
    status: 400,
    code: 'stream.handshake',
    error: 'This request is not a valid WebSocket handshake.',
  },
} as const satisfies Record<string, Rejection>;

/** Why the request becomes no socket; null if it may. */
function upgradeRejection(request: Request, hub: Hub, address: string | null, isDraining: boolean): Rejection | null {
  if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket') return REJECTIONS.noUpgrade;
  if (isDraining || hub.isFull) return REJECTIONS.full;
  return hub.isAddressFull(address) ? REJECTIONS.addressFull : null;
}

function reject(
  { status, code, error, headers }: Rejection,
  request_id: string,
  logRejection: ReturnType<typeof createLogBrake>,
): Response {
  logRejection(code, status >= 500 ? 'warn' : 'debug', 'request.rejected', { status, code }, request_id);
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

function joinRealtime(
  options: NonNullable<Settings['realtime']>,
  hub: Hub,
  log: (line: string) => void,
): RealtimeConnection {
  const { reader } = hub;
  const realtime = new RealtimeConnection({
    ...options,
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
      // Frames that were committed before the join are in the log.
      joined: (topic) => reader.checkLog(topic),
      left: (topic) => reader.checkLog(topic),
      broadcast: (topic, broadcast) => reader.onBroadcast(topic, broadcast),
    },
  });
  realtime.start();
  reader.useSource(realtime);
  return realtime;
}
