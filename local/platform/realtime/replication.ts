import { randomBytes } from 'node:crypto';
import type { Client } from 'pg';
import { LogicalReplicationService, type Pgoutput, PgoutputPlugin } from 'pg-logical-replication';
import { errorText } from '../user_error.ts';

const PUBLICATION_NAME = 'supabase_realtime_messages_publication';
/** Columns by name, as Postgres prints them; null for null. */
export type Row = Record<string, string | null>;

export type ReplicationOptions = {
  url: string;
  /** Called for each committed row of realtime.messages, in commit order. */
  onRow(row: Row): void;
  /** How long the connection stays open without subscribers. */
  lingerMs: number;
};

/**
 * Reads committed rows of realtime.messages from the replication log of Postgres, as the platform
 * does: a temporary slot with the plugin pgoutput. So rows arrive in commit order, rolled back rows
 * never appear, writers pay nothing, and the table has no trigger. The connection is open while it
 * is needed; rows that were committed in between are not read later.
 */
export class Replication {
  readonly #options: ReplicationOptions;
  #service: LogicalReplicationService | undefined;
  #wanted = false;
  #running = false;
  #open = false;
  #waiting: (() => void)[] = [];
  #linger: NodeJS.Timeout | undefined;

  constructor(plan: ReplicationOptions) {
    this.#options = plan;
  }

  get isOpen(): boolean {
    return this.#open;
  }

  /** Opens the connection for the first subscriber, and closes it some time after the last. */
  acquire(wanted: boolean): void {
    clearTimeout(this.#linger);
    if (!wanted) {
      this.#linger = setTimeout(() => this.#release(), this.#options.lingerMs);
      this.#linger.unref();
      return;
    }
    this.#wanted = true;
    if (!this.#running) void this.#run();
  }

  /** Resolves to whether rows are delivered from now on, within `milliseconds`. */
  async untilOpen(milliseconds: number): Promise<boolean> {
    if (this.#open) return true;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#waiting.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
    return this.#open;
  }

  /** Closes the connection for good. */
  async stop(): Promise<void> {
    clearTimeout(this.#linger);
    this.#release();
    while (this.#running) await new Promise((resolve) => setTimeout(resolve, 10));
  }

  #release(): void {
    this.#wanted = false;
    void this.#service?.stop().catch(() => {});
  }

  async #run(): Promise<void> {
    this.#running = true;
    for (let failures = 0; this.#wanted; failures++) {
      const began = Date.now();
      try {
        await this.#stream();
      } catch (error) {
        if (this.#wanted) console.error(`Replication failed: ${errorText(error)}. It is opened again.`);
      }
      this.#open = false;
      if (Date.now() - began > 10_000) failures = 0;
      if (this.#wanted) await new Promise((resolve) => setTimeout(resolve, Math.min(50 * 2 ** failures, 2_000)));
    }
    this.#running = false;
  }

  /** One connection, from its slot to its end. */
  async #stream(): Promise<void> {
    const service = new LogicalReplicationService(
      { connectionString: this.#options.url, application_name: 'realtime_replication_connection' },
      { acknowledge: { auto: false, timeoutSeconds: 0 } },
    );
    this.#service = service;
    // The promise of `subscribe` rejects as well.
    service.on('error', () => {});
    service.on('start', () => {
      this.#open = true;
      for (const wake of this.#waiting.splice(0)) wake();
    });
    service.on('data', (_position, message: Pgoutput.Message) => {
      if (message.tag === 'insert' && message.relation.schema === 'realtime') this.#options.onRow(message.new);
    });
    // Postgres requests this at least every 30 s, and when it stops. Everything before the position
    // was delivered; nothing waits here.
    service.on('heartbeat', (position, _at, respond) => {
      if (respond) void service.acknowledge(lastByteBefore(position));
    });
    // A random name, because the slot of a process that was just killed may exist for a moment.
    const slot = `supabase_realtime_messages_replication_slot_${randomBytes(4).toString('hex')}`;
    try {
      await service.subscribe(new TemporarySlot(), slot);
      throw new Error('the connection was closed');
    } finally {
      this.#open = false;
      await service.stop().catch(() => {});
    }
  }
}

/**
 * The library acknowledges the byte after the given position. A Postgres that stops waits for
 * exactly its own position, and would wait for ever for an acknowledgement that is one byte ahead.
 */
function lastByteBefore(position: string): string {
  const [high = '0', low = '0'] = position.split('/');
  const before = (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`) - 1n;
  return `${(before >> 32n).toString(16)}/${(before & 0xffff_ffffn).toString(16)}`;
}

/** The plugin pgoutput with a slot that lives as long as its connection, and columns as text. */
class TemporarySlot extends PgoutputPlugin {
  constructor() {
    super({ protoVersion: 1, publicationNames: [PUBLICATION_NAME] });
  }

  override async start(client: Client, slot: string, position: string): Promise<void> {
    const { rowCount } = await client.query(`select from pg_publication where pubname = '${PUBLICATION_NAME}'`);
    if (rowCount === 0) await client.query(`create publication ${PUBLICATION_NAME} for table realtime.messages`);
    // This command must be in capitals, unlike SQL.
    await client.query(`CREATE_REPLICATION_SLOT ${slot} TEMPORARY LOGICAL pgoutput NOEXPORT_SNAPSHOT`);
    await super.start(client, slot, position);
  }

  override parse(buffer: Buffer): Pgoutput.Message {
    const message = super.parse(buffer);
    if (message.tag === 'relation') for (const column of message.columns) column.parser = (text: string) => text;
    return message;
  }
}
