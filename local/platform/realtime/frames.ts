// The Realtime protocol: version 1.0.0 uses JSON objects; 2.0.0 uses JSON arrays and, for
// broadcasts, binary frames of kind 3 and 4.

export type Version = '1.0.0' | '2.0.0';

/**
 * A message of a client. `bytes` is set for a broadcast of kind 3, whose payload is not parsed
 * (`binary`: it is not JSON at all).
 */
export type Inbound = {
  joinRef: string | null;
  ref: string | null;
  topic: string;
  event: string;
  payload: Record<string, unknown>;
  user?: { event: string; body: Body };
};

/** The payload of a broadcast: JSON text, or bytes, which protocol 1.0.0 cannot carry. */
export type Body = { json: string } | { bytes: Buffer };

/** For a message from the database: the id of its row. */
export type Meta = { id: string; replayed?: true };

/**
 * An outgoing broadcast, topic without prefix. `whole` is sent unchanged as text to every client;
 * `user` is sent as kind 4 to clients of 2.0.0.
 */
export type Broadcast =
  | { kind: 'whole'; topic: string; json: string }
  | { kind: 'user'; topic: string; event: string; body: Body; meta?: Meta };

export const TOPIC_PREFIX = 'realtime:';

const text = (value: unknown): string | null =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : null;
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** One message of a client, or undefined when it is invalid. */
export function decode(message: Buffer, binary: boolean, version: Version): Inbound | undefined {
  if (binary) return version === '2.0.0' ? decodePush(message) : undefined;
  let read: unknown;
  try {
    read = JSON.parse(message.toString('utf8'));
  } catch {
    return undefined;
  }
  const fields =
    version === '2.0.0' ? read : isRecord(read) && [read.join_ref, read.ref, read.topic, read.event, read.payload];
  if (!Array.isArray(fields)) return undefined;
  const [joinRef, ref, topic, event, payload]: unknown[] = fields;
  if (typeof topic !== 'string' || typeof event !== 'string') return undefined;
  return { joinRef: text(joinRef), ref: text(ref), topic, event, payload: isRecord(payload) ? payload : {} };
}

/**
 * Kind 3: five lengths of one byte each and the encoding, then the five strings, then the payload.
 */
function decodePush(message: Buffer): Inbound | undefined {
  const strings = 5;
  const head = 1 + strings + 1;
  if (message.length < head || message[0] !== 3) return undefined;
  let at = head;
  const next = (index: number) => {
    const from = at;
    at += message[index + 1] ?? 0;
    return message.toString('utf8', from, at);
  };
  const [joinRef = '', ref = '', topic = '', event = ''] = Array.from({ length: strings }, (_, index) => next(index));
  if (at > message.length) return undefined;
  const payload = message.subarray(at);
  const encoding = message[head - 1];
  const body: Body = encoding === 1 ? { json: payload.toString('utf8') } : { bytes: payload };
  if ('json' in body && !isJson(body.json)) return undefined;
  return { joinRef: joinRef || null, ref: ref || null, topic, event: 'broadcast', payload: {}, user: { event, body } };
}

function isJson(json: string): boolean {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}

/** A frame of the server. `payload` is JSON text. */
export function encode(
  version: Version,
  frame: { joinRef: string | null; ref: string | null; topic: string; event: string; payload: string },
): string {
  const [joinRef, ref, topic, event] = [frame.joinRef, frame.ref, frame.topic, frame.event].map((value) =>
    JSON.stringify(value),
  );
  if (version === '2.0.0') return `[${joinRef},${ref},${topic},${event},${frame.payload}]`;
  return `{"topic":${topic},"event":${event},"payload":${frame.payload},"ref":${ref},"join_ref":${joinRef}}`;
}

/** A broadcast in the given protocol version; undefined when that version cannot carry it. */
export function encodeBroadcast(version: Version, broadcast: Broadcast): string | Buffer | undefined {
  const frame = { joinRef: null, ref: null, topic: TOPIC_PREFIX + broadcast.topic, event: 'broadcast' };
  if (broadcast.kind === 'whole') return encode(version, { ...frame, payload: broadcast.json });
  if (version === '2.0.0') return encodeUser(broadcast);
  return 'bytes' in broadcast.body
    ? undefined
    : encode(version, { ...frame, payload: envelopeOf(broadcast, broadcast.body) });
}

/** The payload of a text frame for a broadcast. */
export function envelopeOf(broadcast: { event: string; meta?: Meta }, body: { json: string }): string {
  const meta = broadcast.meta ? `,"meta":${JSON.stringify(broadcast.meta)}` : '';
  return `{"event":${JSON.stringify(broadcast.event)},"payload":${body.json},"type":"broadcast"${meta}}`;
}

/**
 * Kind 4. It cannot carry a topic, event or meta of more than 255 bytes; the platform loses such a
 * message as well.
 */
function encodeUser({ topic, event, body, meta }: Extract<Broadcast, { kind: 'user' }>): Buffer | undefined {
  const strings = [TOPIC_PREFIX + topic, event, meta ? JSON.stringify(meta) : ''].map((value) => Buffer.from(value));
  if (strings.some((value) => value.length > 255)) return undefined;
  const encoding = 'json' in body ? 1 : 0;
  const payload = 'json' in body ? Buffer.from(body.json) : body.bytes;
  return Buffer.concat([Buffer.from([4, ...strings.map((value) => value.length), encoding]), ...strings, payload]);
}
