import { describeError } from '../_shared/pool/error_fields.ts';
import type { Connection } from './connection.ts';
import type { LogReader } from './log_reader.ts';
import type { ChannelPosition, RenewedConnections, StreamQueries } from './queries.ts';

const RELEASE_DELAY_MS = 20;
const RENEW_DELAY_MS = 200;

export type ConnectionLeasesOptions = {
  queries: StreamQueries;
  reader: LogReader;
  /** The connections that are served now. */
  connections: () => Connection[];
  recheckMs: number;
  log: (line: string) => void;
};

/**
 * The leases of the connections in the database: renews them, ends connections that have lost
 * theirs, and releases the slots of ended ones.
 */
export class ConnectionLeases {
  readonly #options: ConnectionLeasesOptions;
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #released: string[] = [];
  #releasing: Promise<void> | undefined;
  #disconnecting = 0;
  #renewSoon: ReturnType<typeof setTimeout> | undefined;
  #isRenewing = false;

  constructor(options: ConnectionLeasesOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#renew(), options.recheckMs);
  }

  /** Number of slots of ended connections that the database still counts. */
  get releasing(): number {
    return this.#released.length + this.#disconnecting;
  }

  /**
   * Another connection may take this slot. Slots that are released within some milliseconds go in
   * one call.
   */
  releaseSlot(id: string): void {
    this.#released.push(id);
    this.#releasing ??= new Promise<void>((resolve) => setTimeout(resolve, RELEASE_DELAY_MS)).then(() =>
      this.#sendReleased(),
    );
  }

  /** Resolves when these slots, and those that were waiting, are free in the database. */
  async releaseSlots(ids: readonly string[]): Promise<void> {
    this.#released.push(...ids);
    await this.#sendReleased();
  }

  /**
   * Renews the leases at once after a frame on the organization's channel: it announces changes of
   * the plan and of keys.
   */
  watchPlan(channels: readonly ChannelPosition[]): void {
    for (const position of channels) {
      if (position.channel.startsWith('org:'))
        this.#options.reader.channel(position).onFrames = (frames) => this.#onOrgFrames(frames);
    }
  }

  stop(): void {
    clearInterval(this.#timer);
    clearTimeout(this.#renewSoon);
  }

  async #sendReleased(): Promise<void> {
    this.#releasing = undefined;
    const ids = this.#released.splice(0);
    if (ids.length === 0) return;
    const { queries, log } = this.#options;
    this.#disconnecting += 1;
    // If the call fails, the leases expire.
    await queries
      .closeConnections(ids)
      .catch((error) =>
        log(`${ids.length} connection slots were not released: ${describeError(error)}. Their leases expire.`),
      );
    this.#disconnecting -= 1;
  }

  #onOrgFrames(frames: readonly string[]): void {
    if (!frames.some((frame) => /^\{"type":\s?"(plan|key)"/.test(frame))) return;
    this.#renewSoon ??= setTimeout(() => {
      this.#renewSoon = undefined;
      void this.#renew();
    }, RENEW_DELAY_MS);
  }

  /**
   * Renews all leases. Ends connections without one, and applies changes of plans to the others.
   */
  async #renew(): Promise<void> {
    const { queries, connections, log } = this.#options;
    const connected = connections().filter((connection) => connection.isConnected);
    if (this.#isRenewing || connected.length === 0) return;
    this.#isRenewing = true;
    try {
      const renewed = await queries.renewConnections(connected.map((connection) => connection.id));
      const found = new Map(renewed.connections.map((one) => [one.id, one]));
      for (const connection of connected) {
        const one = found.get(connection.id);
        if (!one) connection.end('lease');
        else if (one.refused) connection.end(one.refused);
      }
      await this.#changeChannels(connected, renewed);
    } catch (error) {
      log(`The connection leases were not renewed: ${describeError(error)}.`);
    } finally {
      this.#isRenewing = false;
    }
  }

  async #changeChannels(connected: readonly Connection[], { orgs }: RenewedConnections): Promise<void> {
    const changes = connected.flatMap((connection) => {
      const allowed = connection.isEnded || connection.orgId === null ? undefined : orgs[connection.orgId];
      if (!allowed) return [];
      const has = new Set(connection.channels);
      const added = allowed.filter((name) => !has.has(name));
      const removed = [...has].filter((name) => !allowed.includes(name));
      return added.length + removed.length > 0 ? [{ connection, added, removed }] : [];
    });
    if (changes.length === 0) return;
    const names = [...new Set(changes.flatMap(({ added }) => added))];
    const read = names.length > 0 ? await this.#options.queries.channelPositions(names) : [];
    const positions = new Map(read.map((position) => [position.channel, position]));
    for (const { connection, added, removed } of changes) {
      connection.changeChannels(
        removed,
        added.flatMap((name) => positions.get(name) ?? []),
      );
    }
  }
}
