import { type Body, type Broadcast, encodeBroadcast, type Version } from './frames.ts';
import type { Allowance } from './quotas.ts';
import type { Row } from './replication.ts';

/** A subscriber of a topic. */
export type HubSubscriber = {
  readonly version: Version;
  /** `frame` is ready to send. `id` is the id of its row, if it has one. */
  receive(frame: string | Buffer, id: string | undefined): void;
};

/**
 * The subscribers of each topic. A private and a public topic of the same name are different
 * topics.
 */
export class Hub {
  readonly #subscribers = new Map<string, Set<HubSubscriber>>();
  readonly #allowance: Allowance;

  constructor(allowance: Allowance) {
    this.#allowance = allowance;
  }

  add(topic: string, isPrivate: boolean, listener: HubSubscriber): void {
    const key = keyOf(topic, isPrivate);
    const known = this.#subscribers.get(key);
    if (known) known.add(listener);
    else this.#subscribers.set(key, new Set([listener]));
  }

  remove(topic: string, isPrivate: boolean, listener: HubSubscriber): void {
    const key = keyOf(topic, isPrivate);
    const known = this.#subscribers.get(key);
    known?.delete(listener);
    if (known?.size === 0) this.#subscribers.delete(key);
  }

  /**
   * Sends a broadcast to all subscribers of the topic except `sender`, encoded once for each
   * protocol version. Returns false when it is too large.
   */
  deliver(broadcast: Broadcast, isPrivate: boolean, sender?: HubSubscriber): boolean {
    if (!this.#allowance.fits(sizeOf(broadcast))) return false;
    this.#allowance.messages.add();
    const listeners = this.#subscribers.get(keyOf(broadcast.topic, isPrivate));
    if (!listeners) return true;
    const frames = new Map<Version, string | Buffer | undefined>();
    const id = broadcast.kind === 'user' ? broadcast.meta?.id : undefined;
    // A copy, because a subscriber that exceeds a quota leaves during the delivery.
    for (const listener of [...listeners]) {
      if (listener === sender) continue;
      if (!frames.has(listener.version)) frames.set(listener.version, encodeBroadcast(listener.version, broadcast));
      const frame = frames.get(listener.version);
      if (frame !== undefined) listener.receive(frame, id);
    }
    return true;
  }

  /** Delivers a committed row of realtime.messages. Skips an incomplete one. */
  deliverRow(row: Row): void {
    const { id, topic, event, inserted_at: at, private: flag } = row;
    const body = bodyOf(row);
    if (!id || !topic || !event || !at || !flag || !body) return;
    const fitted = this.deliver({ kind: 'user', topic, event, body, meta: { id } }, flag === 't');
    if (!fitted) console.error(`Message ${id} to ${topic} exceeds the payload quota and was not sent.`);
  }
}

const keyOf = (topic: string, isPrivate: boolean) => `${isPrivate ? 'private' : 'public'}:${topic}`;

/** The payload of a row as Postgres prints it; bytea is `\x` and hexadecimal digits. */
export function bodyOf(row: Row): Body | undefined {
  if (typeof row.payload === 'string') return { json: row.payload };
  if (typeof row.binary_payload === 'string') return { bytes: Buffer.from(row.binary_payload.slice(2), 'hex') };
  return undefined;
}

function sizeOf(broadcast: Broadcast): number {
  if (broadcast.kind === 'whole') return Buffer.byteLength(broadcast.json);
  return 'json' in broadcast.body ? Buffer.byteLength(broadcast.body.json) : broadcast.body.bytes.length;
}
