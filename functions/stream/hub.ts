import { errorWords } from '../_shared/pool/error_fields.ts';
import type { Channel } from './channel.ts';
import type { Farewell } from './close_codes.ts';
import { Connection, type Holder, type Wire } from './connection.ts';
import type { Work } from './cpu_budget.ts';
import { Pages } from './log_page_cache.ts';
import { type Log, Reader } from './log_reader.ts';
import type { Admitted, Doors, Renewed, Stands } from './queries.ts';

/** Sockets that were closed from here and are not gone yet, beyond an organization's connections, before it gets no more. */
const lingeringBeyond = 2;
/** Sockets that have not connected yet: beyond, the oldest goes, so that who holds sockets open keeps nobody out. */
const mostNewcomers = 1_000;
const beatMs = 1_000;
const freeMs = 20;
const drainStepMs = 50;
const farewellMs = 1_000;
const recheckSoonMs = 200;

/** All connections of this isolate: who may come in, who may stay, and how they go. */
export class Hub implements Holder {
  readonly version: string;
  /** What they missed who are behind. */
  readonly log: Log;
  readonly #doors: Doors;
  readonly reader: Reader;
  readonly say: (line: string) => void;
  readonly #recheckMs: number;
  readonly #connections = new Map<string, Connection>();
  /** Closed, but with bytes that the client does not take: they are this process's memory until the socket is gone. */
  readonly #lingering = new Map<Connection, string>();
  readonly #newcomers = new Set<Connection>();
  readonly #freed: string[] = [];
  readonly #timers: ReturnType<typeof setTimeout>[] = [];
  #soon: ReturnType<typeof setTimeout> | undefined;
  #freeing: Promise<void> | undefined;
  #renewing = false;
  #hurried = false;
  #disconnecting = 0;
  #whenEmpty: (() => void)[] = [];
  #messages = 0;

  constructor(options: { doors: Doors; recheckMs: number; version: string; say: (line: string) => void }) {
    this.#doors = options.doors;
    this.log = new Pages(options.doors);
    this.version = options.version;
    this.say = options.say;
    this.#recheckMs = options.recheckMs;
    this.reader = new Reader({ log: options.doors, say: options.say, reset: (channel) => this.#cutListeners(channel) });
    this.#timers.push(
      setInterval(() => this.#beat(), beatMs),
      setInterval(() => void this.#renew(), this.#recheckMs),
    );
  }

  get size(): number {
    return this.#connections.size;
  }

  /** What was done here so far. */
  get work(): Work {
    return { frames: this.reader.taken, messages: this.#messages };
  }

  sent(messages: number): void {
    this.#messages += messages;
  }

  open(wire: Wire): Connection {
    const connection = new Connection(wire, this);
    this.#connections.set(connection.id, connection);
    this.#newcomers.add(connection);
    const [oldest] = this.#newcomers;
    if (this.#newcomers.size > mostNewcomers) oldest?.end('mute');
    return connection;
  }

  async admit(ticketHash: string, connection: Connection): Promise<Admitted | Farewell> {
    const { id } = connection;
    const admitted = await this.#doors.connect(ticketHash, id);
    if (admitted.refused !== undefined) return admitted.refused;
    const lingering = [...this.#lingering.values()].filter((org) => org === admitted.org_id).length;
    if (lingering >= admitted.max_conns + lingeringBeyond) {
      this.free(id);
      return 'cap';
    }
    this.#newcomers.delete(connection);
    // Of its own channel an organization hears that its plan or a key changed: then there is no waiting for the next turn.
    for (const stands of admitted.channels) {
      if (stands.channel.startsWith('org:'))
        this.reader.channel(stands).onFrames = (frames) => this.#heardOfOrg(frames);
    }
    return admitted;
  }

  /** It is served no more; its slot is free. */
  ended(connection: Connection): void {
    this.#connections.delete(connection.id);
    this.#newcomers.delete(connection);
    if (connection.orgId !== null) {
      this.free(connection.id);
      this.#lingering.set(connection, connection.orgId);
    }
  }

  gone(connection: Connection): void {
    this.#lingering.delete(connection);
  }

  /** Its slot may be taken by another. */
  free(id: string): void {
    this.#freed.push(id);
    this.#freeing ??= new Promise<void>((resolve) => setTimeout(resolve, freeMs)).then(() => this.#sendFreed());
  }

  async #sendFreed(): Promise<void> {
    this.#freeing = undefined;
    const ids = this.#freed.splice(0);
    // Where that fails, the leases end by themselves.
    if (ids.length === 0) return;
    this.#disconnecting += 1;
    await this.#doors.disconnect(ids).catch((error) => this.say(`slots not freed: ${errorWords(error)}`));
    this.#disconnecting -= 1;
  }

  #beat(): void {
    const now = Date.now();
    for (const connection of [...this.#connections.values()]) connection.beat(now);
    if (this.#isEmpty) for (const resolve of this.#whenEmpty.splice(0)) resolve();
  }

  get #isEmpty(): boolean {
    return this.#connections.size + this.#lingering.size + this.#freed.length + this.#disconnecting === 0;
  }

  /** Resolves, within a second or so, when nobody is connected and what they held is freed. */
  empty(): Promise<void> {
    return new Promise((resolve) => this.#whenEmpty.push(resolve));
  }

  #heardOfOrg(frames: readonly string[]): void {
    if (!frames.some((frame) => /^\{"type":\s?"(plan|key)"/.test(frame))) return;
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      void this.#renew();
    }, recheckSoonMs);
  }

  /** Renews the leases and does what plans and keys have come to since. */
  async #renew(): Promise<void> {
    const connected = [...this.#connections.values()].filter((connection) => connection.isConnected);
    if (this.#renewing || connected.length === 0) return;
    this.#renewing = true;
    try {
      const renewed = await this.#doors.renew(connected.map((connection) => connection.id));
      const found = new Map(renewed.connections.map((one) => [one.id, one]));
      for (const connection of connected) {
        const one = found.get(connection.id);
        if (!one) connection.end('lease');
        else if (one.refused) connection.end(one.refused);
      }
      await this.#changeChannels(connected, renewed);
    } catch (error) {
      this.say(`leases not renewed: ${errorWords(error)}`);
    } finally {
      this.#renewing = false;
    }
  }

  async #changeChannels(connected: readonly Connection[], { orgs }: Renewed): Promise<void> {
    const changes = connected.flatMap((connection) => {
      const allowed = connection.ended || connection.orgId === null ? undefined : orgs[connection.orgId];
      if (!allowed) return [];
      const has = new Set(connection.channels);
      const added = allowed.filter((name) => !has.has(name));
      const without = [...has].filter((name) => !allowed.includes(name));
      return added.length + without.length > 0 ? [{ connection, added, without }] : [];
    });
    if (changes.length === 0) return;
    const names = [...new Set(changes.flatMap(({ added }) => added))];
    const stands = new Map<string, Stands>();
    if (names.length > 0) for (const one of await this.#doors.positions(names)) stands.set(one.channel, one);
    for (const { connection, added, without } of changes) {
      connection.change(
        without,
        added.flatMap((name) => stands.get(name) ?? []),
      );
    }
  }

  #cutListeners(channel: Channel): void {
    for (const connection of [...this.#connections.values()]) if (connection.hears(channel)) connection.end('log');
  }

  /**
   * Ends all connections with the advice to come back, spread over `spreadMs` so that they do not all arrive elsewhere at once. Slots are
   * freed first: who comes back at once must not be refused for the connection that it has just lost.
   */
  async drain(spreadMs: number): Promise<void> {
    const steps = Math.max(1, Math.min(this.#connections.size, Math.round(spreadMs / drainStepMs)));
    const atOnce = Math.ceil(this.#connections.size / steps);
    while (this.#connections.size > 0) {
      const all = [...this.#connections.values()];
      const some = this.#hurried ? all : all.slice(0, atOnce);
      this.#freed.push(...some.filter((connection) => connection.orgId !== null).map((connection) => connection.id));
      await this.#sendFreed();
      for (const connection of some) connection.end('handover');
      if (this.#connections.size > 0 && steps > 1) await new Promise((resolve) => setTimeout(resolve, drainStepMs));
    }
    // A process that ended now would take with it what they are being told.
    for (const over = Date.now() + farewellMs; this.#lingering.size > 0 && Date.now() < over; ) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** A drain that is under way ends everybody now. */
  hurry(): void {
    this.#hurried = true;
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer);
    clearTimeout(this.#soon);
    this.reader.stop();
  }
}
