import type { CloseReason } from './close_codes.ts';

// The Centrifugal client protocol in JSON, as far as contract.md specifies it: the commands of
// clients and the texts that the server sends.

/** The position of a client in a channel when it reconnects. */
export type RecoveryPosition = { recover: boolean; epoch: string; offset: number };

export type Command =
  | { kind: 'pong' }
  | { kind: 'connect'; id: number; ticket: string | undefined; positions: ReadonlyMap<string, RecoveryPosition> }
  /** A command that this server does not offer. `id` is null when the client expects no reply. */
  | { kind: 'other'; id: number | null; code: 103 | 104 | 108; message: string };

/** The longest frame, UTF-16 units here and bytes in websocket_server.ts. */
export const MAX_FRAME_LENGTH = 64 * 1024;
const MAX_COMMANDS = 100;

const unavailableMethods = new Set([
  ...[
    'unsubscribe',
    'publish',
    'presence',
    'presence_stats',
    'history',
    'ping',
    'send',
    'rpc',
    'refresh',
    'sub_refresh',
  ],
]);

/** Parses the commands of one frame, one per line. Returns the close reason of an invalid frame. */
export function parseFrame(frame: unknown): Command[] | CloseReason {
  if (typeof frame !== 'string') return 'malformed';
  if (frame.length > MAX_FRAME_LENGTH) return 'tooLarge';
  const lines = frame.split('\n').filter((line) => line.trim() !== '');
  if (lines.length === 0) return 'malformed';
  if (lines.length > MAX_COMMANDS) return 'tooMany';
  const commands: Command[] = [];
  for (const line of lines) {
    const command = parseCommand(line);
    if (command === undefined) return 'malformed';
    commands.push(command);
  }
  return commands;
}

function parseCommand(line: string): Command | undefined {
  const object = parseObject(line);
  if (!object) return undefined;
  const { id, ...methods } = object;
  const [method, ...more] = Object.keys(methods);
  if (method === undefined) return id === undefined ? { kind: 'pong' } : undefined;
  if (method === 'send' && id === undefined) return { kind: 'other', id: null, ...errorReplies[108] };
  if (more.length > 0 || !isCount(id) || id === 0) return undefined;
  const body = methods[method];
  if (!isObject(body)) return undefined;
  if (method === 'connect')
    return { kind: 'connect', id, ticket: ticketOf(body.data), positions: parsePositions(body.subs) };
  if (method === 'subscribe') return { kind: 'other', id, ...errorReplies[103] };
  return { kind: 'other', id, ...errorReplies[unavailableMethods.has(method) ? 108 : 104] };
}

const errorReplies = {
  103: { code: 103, message: 'permission denied: the server subscribes each client to the channels of its plan' },
  104: { code: 104, message: 'method not found' },
  108: { code: 108, message: 'not available' },
} as const;

function parseObject(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

function ticketOf(data: unknown): string | undefined {
  return isObject(data) && typeof data.t === 'string' ? data.t : undefined;
}

function parsePositions(subs: unknown): Map<string, RecoveryPosition> {
  const positions = new Map<string, RecoveryPosition>();
  if (!isObject(subs)) return positions;
  for (const [channel, position] of Object.entries(subs)) {
    if (!isObject(position) || position.recover !== true) continue;
    const { epoch = '', offset = 0 } = position;
    // An invalid position cannot be recovered; the reply reports that.
    const isValid = typeof epoch === 'string' && isCount(offset);
    positions.set(channel, { recover: true, epoch: isValid ? epoch : '', offset: isValid ? offset : 0 });
  }
  return positions;
}

/** One publication as the server pushes it. `frame` is JSON text and is inserted unchanged. */
export function publicationPush(channelJson: string, frame: string, offset: number): string {
  return `{"push":{"channel":${channelJson},"pub":{"data":${frame},"offset":${offset}}}}`;
}

/**
 * A subscription in the connect reply. The last of `frames` (JSON texts) has the offset `offset`.
 */
export type SubscribedChannel = {
  channel: string;
  epoch: string;
  offset: number;
  recovery: { recovered: boolean; frames: readonly string[] } | null;
};

export const PING_SECONDS = 25;

export function connectReply(
  id: number,
  client: string,
  version: string,
  subscribed: readonly SubscribedChannel[],
): string {
  const subs = subscribed.map((one) => `${JSON.stringify(one.channel)}:${subscriptionJson(one)}`).join(',');
  const head = `"client":"${client}","version":${JSON.stringify(version)},"ping":${PING_SECONDS},"pong":true`;
  return `{"id":${id},"connect":{${head},"subs":{${subs}}}}`;
}

function subscriptionJson({ epoch, offset, recovery }: SubscribedChannel): string {
  const position = `"recoverable":true,"positioned":true,"epoch":${JSON.stringify(epoch)},"offset":${offset}`;
  if (!recovery) return `{${position}}`;
  const first = offset - recovery.frames.length + 1;
  const missed = recovery.frames.map((frame, n) => `{"data":${frame},"offset":${first + n}}`).join(',');
  return `{${position},"was_recovering":true,"recovered":${recovery.recovered},"publications":[${missed}]}`;
}

export function subscribePush(channel: string, epoch: string, offset: number): string {
  return `{"push":{"channel":${JSON.stringify(channel)},"subscribe":${subscriptionJson({ channel, epoch, offset, recovery: null })}}}`;
}

/** A code below 2500 is permanent: the client does not subscribe again. */
export function unsubscribePush(channel: string): string {
  const reason = 'The plan of the organization does not include this channel any more.';
  return `{"push":{"channel":${JSON.stringify(channel)},"unsubscribe":{"code":2000,"reason":${JSON.stringify(reason)}}}}`;
}

export function errorReply(id: number, code: number, message: string): string {
  return `{"id":${id},"error":{"code":${code},"message":${JSON.stringify(message)}}}`;
}

/** An empty command; the client answers with one. */
export const PING = '{}';
