import pg from 'pg';
import type { Sql } from '../../local/platform/postgres/template.ts';
import { holdShardLeases, stopClock } from '../api/support/catalog.ts';
import type { Frame } from '../support/replayed_state.ts';

export type Batch = { channel: string; epoch: string; offset: number; frames?: Frame[] };

/** The frames of a channel after an offset, oldest first. */
export async function publishedFrames(sql: Sql, channel: string, after = 0): Promise<Frame[]> {
  const rows = await sql<{ frame: string }[]>`
    select f.frame
    from stream.publications p
    cross join lateral unnest(p.frames) with ordinality as f (frame, place)
    where p.channel = ${channel}
      and p.last_offset - cardinality(p.frames) + f.place > ${after}
    order by p.last_offset, f.place`;
  return rows.map((row) => JSON.parse(row.frame) as Frame);
}

/** The broadcasts on a topic, in the order of their offsets. */
export async function broadcasts(sql: Sql, topic: string): Promise<Batch[]> {
  const rows = await sql<{ payload: Batch }[]>`
    select payload from realtime.messages
    where topic = ${topic} and private and extension = 'broadcast' and event = 'frames'
    order by (payload ->> 'offset')::bigint, inserted_at`;
  return rows.map((row) => row.payload);
}

export async function lastOffset(sql: Sql, channel: string): Promise<number> {
  const [row] = await sql<{ top: string }[]>`select last_offset as top from stream.channels where channel = ${channel}`;
  return Number(row?.top ?? 0);
}

/** Deletes all publications, published states and broadcasts of earlier tests. */
export async function clearPublished(sql: Sql): Promise<void> {
  await sql`truncate stream.publications, stream.published_markets, stream.published_best, stream.published_opportunities, stream.sample_markets, stream.published_feeds, stream.broadcast_positions`;
  await sql`delete from stream.channels where channel like 'org:%' or channel like 'candidates:%'`;
  await sql`update stream.channels set last_offset = 0`;
  await sql`update stream.flush_state set sample_hour = '-infinity', repaired_at = '-infinity', tokens = 0, refilled_at = clock_timestamp() - interval '1 minute'`;
  await sql`update stream.best_state set compared_at = '-infinity'`;
  await sql`delete from realtime.messages`;
}

/** Deletes all pairs, prices and publications, claims all shard leases and stops the clock. */
export async function resetTestState(sql: Sql): Promise<void> {
  await sql`
    truncate catalog.pairs, catalog.outcomes, catalog.strikes, price.updates, price.latest_updates, price.snapshot_rows, arb.opportunities, arb.opportunity_states,
      arb.rejections, venue.feeds, catalog.alarms, catalog.alarm_reviews`;
  await sql`update price.snapshot_state set step = '-infinity'`;
  await sql`
    update stream.settings
    set messages_a_second = 80, listeners = 1, broadcast_bytes = 190000, beacon_every = '5 seconds'`;
  await clearPublished(sql);
  await holdShardLeases(sql);
  await stopClock(sql, '2026-11-20T12:00:00Z');
}

/**
 * Runs `work` in a transaction whose backend `end` ends before the commit. Uses `pg`, because the
 * other driver writes to the closed socket.
 */
export async function endBackendDuring(url: string, work: string, end: (pid: number) => unknown): Promise<void> {
  const client = new pg.Client(url);
  const ended = new Promise<void>((resolve) => {
    client.on('error', () => resolve());
    client.on('end', () => resolve());
  });
  await client.connect();
  await client.query('begin');
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  await client.query(work);
  await end(rows[0]?.pid ?? 0);
  await ended;
  await client.end().catch(() => {});
}
