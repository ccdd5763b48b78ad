import { randomBytes } from 'node:crypto';
import type { Client } from 'pg';
import { LogicalReplicationService, type Pgoutput, PgoutputPlugin } from 'pg-logical-replication';
import { errorText } from '../user_error.ts';

const publication = 'supabase_realtime_messages_publication';
/** Columns by name, as Postgres prints them; null for null. */
export type Row = Record<string, string | null>;

export type ReplicationOptions = {
  url: string;
  /** Each committed row of realtime.messages, in the order of the commits. */
  onRow(row: Row): void;
  /** How long it stays open when nobody listens any more. */
  lingerMs: number;
};

/**
 * Reads what is committed to realtime.messages off Postgres's own log, as hosted: a temporary slot with the plugin pgoutput. So the
 * order is that of the commits, a rolled back row never shows, a writer pays nothing for being listened to, and no trigger stands
 * in the table. It is open while it is wanted; rows committed meanwhile are not made up for.
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

  /** There are listeners, or there are none any more. */
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

  /** Resolves to whether rows are delivered from now on, at the latest after `milliseconds`. */
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

  /** Ends it for good. */
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
        if (this.#wanted) console.error(`replication: ${errorText(error)}; opening it again`);
      }
      this.#open = false;
      if (Date.now() - began > 10_000) failures = 0;
      if (this.#wanted) await new Promise((resolve) => setTimeout(resolve, Math.min(50 * 2 ** failures, 2_000)));
    }
    this.#running = false;
  }

  /** One connection from its slot to its end. */
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
    // Postgres asks at the latest every 30 s, and when it stops. Everything before the position was sent and delivered: nothing waits here.
    service.on('heartbeat', (position, _at, respond) => {
      if (respond) void service.acknowledge(lastByteBefore(position));
    });
    // A name of its own: the slot of a process that was just killed may live on for a moment.
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
 * The library confirms the byte after the one that it gets. A Postgres that stops waits for exactly its own position, and would wait for
 * ever for a reply that is one byte ahead.
 */
function lastByteBefore(position: string): string {
  const [high = '0', low = '0'] = position.split('/');
  const before = (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`) - 1n;
  return `${(before >> 32n).toString(16)}/${(before & 0xffff_ffffn).toString(16)}`;
}

/** The plugin pgoutput on a slot that lives as long as its connection, with columns as text. */
class TemporarySlot extends PgoutputPlugin {
  constructor() {
    super({ protoVersion: 1, publicationNames: [publication] });
  }

  override async start(client: Client, slot: string, position: string): Promise<void> {
    const { rowCount } = await client.query(`select from pg_publication where pubname = '${publication}'`);
    if (rowCount === 0) await client.query(`create publication ${publication} for table realtime.messages`);
    // Unlike SQL, this command is known in capitals only.
    await client.query(`CREATE_REPLICATION_SLOT ${slot} TEMPORARY LOGICAL pgoutput NOEXPORT_SNAPSHOT`);
    await super.start(client, slot, position);
  }

  override parse(buffer: Buffer): Pgoutput.Message {
    const message = super.parse(buffer);
    if (message.tag === 'relation') for (const column of message.columns) column.parser = (text: string) => text;
    return message;
  }
}
