import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import postgres from 'postgres';
import { errorText } from '../user_error.ts';
import { ChangeReader, type Row } from './pgoutput.ts';

const publication = 'supabase_realtime_messages_publication';
/** How often the server hears how far we are: it keeps its log until then. */
const confirmMs = 10_000;

export type ReplicationPlan = {
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
  readonly #plan: ReplicationPlan;
  #sql: postgres.Sql | undefined;
  #wanted = false;
  #running = false;
  #open = false;
  #waiting: (() => void)[] = [];
  #linger: NodeJS.Timeout | undefined;

  constructor(plan: ReplicationPlan) {
    this.#plan = plan;
  }

  get isOpen(): boolean {
    return this.#open;
  }

  /** There are listeners, or there are none any more. */
  want(wanted: boolean): void {
    clearTimeout(this.#linger);
    if (!wanted) {
      this.#linger = setTimeout(() => this.#letGo(), this.#plan.lingerMs);
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
    this.#letGo();
    while (this.#running) await new Promise((resolve) => setTimeout(resolve, 10));
  }

  #letGo(): void {
    this.#wanted = false;
    void this.#sql?.end({ timeout: 0 }).catch(() => {});
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
    let lost: (() => void) | undefined;
    const sql = postgres(this.#plan.url, {
      max: 1,
      fetch_types: false,
      max_lifetime: null,
      onnotice: () => {},
      onclose: () => lost?.(),
      connection: { application_name: 'realtime_replication_connection', replication: 'database' },
    });
    this.#sql = sql;
    try {
      const [known] = await sql.unsafe(`select from pg_publication where pubname = '${publication}'`);
      if (!known) await sql.unsafe(`create publication ${publication} for table realtime.messages`);
      // A name of its own: the slot of a process that was just killed may live on for a moment.
      const slot = `supabase_realtime_messages_replication_slot_${randomBytes(4).toString('hex')}`;
      // Unlike SQL, these commands are known in capitals only.
      await sql.unsafe(`CREATE_REPLICATION_SLOT ${slot} TEMPORARY LOGICAL pgoutput NOEXPORT_SNAPSHOT`);
      const from = `START_REPLICATION SLOT ${slot} LOGICAL 0/0 (proto_version '1', publication_names '${publication}')`;
      const stream = (await sql.unsafe(from).writable()) as Duplex;
      const ended = new Promise<void>((resolve, reject) => {
        lost = resolve;
        stream.once('close', resolve);
        stream.on('error', reject);
      });
      const confirming = this.#follow(stream);
      this.#open = true;
      for (const wake of this.#waiting.splice(0)) wake();
      await ended.finally(() => clearInterval(confirming));
      throw new Error('the connection was closed');
    } finally {
      this.#open = false;
      await sql.end({ timeout: 0 }).catch(() => {});
    }
  }

  #follow(stream: Duplex): NodeJS.Timeout {
    const reader = new ChangeReader();
    let seen = 0n;
    stream.on('data', (message: Buffer) => {
      const kind = String.fromCharCode(message[0] ?? 0);
      if (kind === 'w') {
        // Three numbers of eight bytes come first: where it starts, where the log ends, when it was sent.
        const found = reader.read(message.subarray(25));
        if (found?.schema === 'realtime') this.#plan.onRow(found.row);
      } else if (kind === 'k') {
        // Whatever lies before has been sent, and what was sent has been delivered: nothing here waits.
        seen = message.readBigUInt64BE(1);
        if (message[17] === 1) stream.write(confirmation(seen));
      }
    });
    return setInterval(() => {
      if (seen > 0n && stream.writable) stream.write(confirmation(seen));
    }, confirmMs);
  }
}

/** Microseconds between 1970 and 2000, where Postgres's time begins. */
const epoch = BigInt(Date.UTC(2000, 0, 1)) * 1000n;

/** "Written, flushed and applied up to here." */
function confirmation(position: bigint): Buffer {
  const message = Buffer.alloc(34);
  message.write('r', 0);
  for (const at of [1, 9, 17]) message.writeBigUInt64BE(position, at);
  message.writeBigInt64BE(BigInt(Date.now()) * 1000n - epoch, 25);
  return message;
}
