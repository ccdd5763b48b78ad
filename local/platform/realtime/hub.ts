import { type Body, type Broadcast, encodeBroadcast, type Version } from './frames.ts';
import type { Allowance } from './quotas.ts';
import type { Row } from './replication.ts';

/** Somebody who joined a topic. */
export type HubSubscriber = {
  readonly version: Version;
  /** `frame` is ready for the wire; `id` is that of the row that it came from. */
  receive(frame: string | Buffer, id: string | undefined): void;
};

/** Who listens to what. A private and a public topic of one name are two. */
export class Hub {
  readonly #listeners = new Map<string, Set<HubSubscriber>>();
  readonly #allowance: Allowance;

  constructor(allowance: Allowance) {
    this.#allowance = allowance;
  }

  add(topic: string, isPrivate: boolean, listener: HubSubscriber): void {
    const key = keyOf(topic, isPrivate);
    const known = this.#listeners.get(key);
    if (known) known.add(listener);
    else this.#listeners.set(key, new Set([listener]));
  }

  remove(topic: string, isPrivate: boolean, listener: HubSubscriber): void {
    const key = keyOf(topic, isPrivate);
    const known = this.#listeners.get(key);
    known?.delete(listener);
    if (known?.size === 0) this.#listeners.delete(key);
  }

  /** To everybody on that topic but `sender`; encoded once for each version of the protocol. False: it is too large to be sent. */
  deliver(broadcast: Broadcast, isPrivate: boolean, sender?: HubSubscriber): boolean {
    if (!this.#allowance.fits(sizeOf(broadcast))) return false;
    this.#allowance.messages.add();
    const listeners = this.#listeners.get(keyOf(broadcast.topic, isPrivate));
    if (!listeners) return true;
    const frames = new Map<Version, string | Buffer | undefined>();
    const id = broadcast.kind === 'user' ? broadcast.meta?.id : undefined;
    // A copy: whoever is over a quota leaves while it is delivered.
    for (const listener of [...listeners]) {
      if (listener === sender) continue;
      if (!frames.has(listener.version)) frames.set(listener.version, encodeBroadcast(listener.version, broadcast));
      const frame = frames.get(listener.version);
      if (frame !== undefined) listener.receive(frame, id);
    }
    return true;
  }

  /** A committed row of realtime.messages. One that is not whole is skipped. */
  deliverRow(row: Row): void {
    const { id, topic, event, inserted_at: at, private: flag } = row;
    const body = bodyOf(row);
    if (!id || !topic || !event || !at || !flag || !body) return;
    const fitted = this.deliver({ kind: 'user', topic, event, body, meta: { id } }, flag === 't');
    if (!fitted) console.error(`the message ${id} to ${topic} is larger than the quota allows; it was not sent`);
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
