import type { CloseReason } from './close_codes.ts';

// The Centrifugal client protocol in JSON, as far as contract.md has it: what clients may send, and the texts that they get.

/** What a client has of a channel when it comes back. */
export type Place = { recover: boolean; epoch: string; offset: number };

export type Command =
  | { kind: 'pong' }
  | { kind: 'connect'; id: number; ticket: string | undefined; places: ReadonlyMap<string, Place> }
  /** One that is not for clients of this server; `id` null: it wants no answer. */
  | { kind: 'other'; id: number | null; code: 103 | 104 | 108; message: string };

const longestFrame = 64 * 1024;
const mostCommands = 100;

const refused = new Set([
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

/** The commands of one frame, one a line; or why the connection must end. */
export function readFrame(frame: unknown): Command[] | CloseReason {
  if (typeof frame !== 'string') return 'malformed';
  if (frame.length > longestFrame) return 'giant';
  const lines = frame.split('\n').filter((line) => line.trim() !== '');
  if (lines.length === 0) return 'malformed';
  if (lines.length > mostCommands) return 'flood';
  const commands: Command[] = [];
  for (const line of lines) {
    const command = readCommand(line);
    if (command === undefined) return 'malformed';
    commands.push(command);
  }
  return commands;
}

function readCommand(line: string): Command | undefined {
  const given = objectIn(line);
  if (!given) return undefined;
  const { id, ...methods } = given;
  const [method, ...more] = Object.keys(methods);
  if (method === undefined) return id === undefined ? { kind: 'pong' } : undefined;
  if (method === 'send' && id === undefined) return { kind: 'other', id: null, ...answers[108] };
  if (more.length > 0 || !isCount(id) || id === 0) return undefined;
  const body = methods[method];
  if (!isObject(body)) return undefined;
  if (method === 'connect') return { kind: 'connect', id, ticket: ticketIn(body.data), places: placesIn(body.subs) };
  if (method === 'subscribe') return { kind: 'other', id, ...answers[103] };
  return { kind: 'other', id, ...answers[refused.has(method) ? 108 : 104] };
}

const answers = {
  103: { code: 103, message: 'permission denied: the server subscribes you to the channels of your tier' },
  104: { code: 104, message: 'method not found' },
  108: { code: 108, message: 'not available' },
} as const;

function objectIn(line: string): Record<string, unknown> | undefined {
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

function ticketIn(data: unknown): string | undefined {
  return isObject(data) && typeof data.t === 'string' ? data.t : undefined;
}

function placesIn(subs: unknown): Map<string, Place> {
  const places = new Map<string, Place>();
  if (!isObject(subs)) return places;
  for (const [channel, place] of Object.entries(subs)) {
    if (!isObject(place) || place.recover !== true) continue;
    const { epoch = '', offset = 0 } = place;
    // What makes no sense is no place that anybody can be led on from, and is answered so.
    const sound = typeof epoch === 'string' && isCount(offset);
    places.set(channel, { recover: true, epoch: sound ? epoch : '', offset: sound ? offset : 0 });
  }
  return places;
}

/** One publication as it is pushed. `frame` is JSON text and goes in as it is. */
export function publication(channelJson: string, frame: string, offset: number): string {
  return `{"push":{"channel":${channelJson},"pub":{"data":${frame},"offset":${offset}}}}`;
}

/** A subscription as the connect reply tells it. `frames` (JSON texts) end at `offset`. */
export type Told = {
  channel: string;
  epoch: string;
  offset: number;
  recovery: { recovered: boolean; frames: readonly string[] } | null;
};

export const pingSeconds = 25;

export function connectReply(id: number, client: string, version: string, told: readonly Told[]): string {
  const subs = told.map((one) => `${JSON.stringify(one.channel)}:${subscription(one)}`).join(',');
  const head = `"client":"${client}","version":${JSON.stringify(version)},"ping":${pingSeconds},"pong":true`;
  return `{"id":${id},"connect":{${head},"subs":{${subs}}}}`;
}

function subscription({ epoch, offset, recovery }: Told): string {
  const stands = `"recoverable":true,"positioned":true,"epoch":${JSON.stringify(epoch)},"offset":${offset}`;
  if (!recovery) return `{${stands}}`;
  const first = offset - recovery.frames.length + 1;
  const missed = recovery.frames.map((frame, n) => `{"data":${frame},"offset":${first + n}}`).join(',');
  return `{${stands},"was_recovering":true,"recovered":${recovery.recovered},"publications":[${missed}]}`;
}

export function subscribePush(channel: string, epoch: string, offset: number): string {
  return `{"push":{"channel":${JSON.stringify(channel)},"subscribe":${subscription({ channel, epoch, offset, recovery: null })}}}`;
}

/** Code below 2500: it is for good, and not an accident to be made up for. */
export function unsubscribePush(channel: string): string {
  const reason = "The organization's plan no longer has this channel.";
  return `{"push":{"channel":${JSON.stringify(channel)},"unsubscribe":{"code":2000,"reason":${JSON.stringify(reason)}}}}`;
}

export function errorReply(id: number, code: number, message: string): string {
  return `{"id":${id},"error":{"code":${code},"message":${JSON.stringify(message)}}}`;
}

/** An empty reply; the client answers with an empty command. */
export const ping = '{}';
