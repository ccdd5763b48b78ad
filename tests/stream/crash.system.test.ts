import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TemporaryPostgres } from '../../local/platform/postgres/temporary_postgres.ts';
import { holdShardLeases, putPair, putUpdate } from '../api/support/catalog.ts';
import { TEST_TEMPLATE } from '../support/names.ts';
import { startOwnPostgres } from '../support/own_postgres.ts';
import { waitUntil } from '../support/wait_until.ts';
import { broadcasts, endBackendDuring, lastOffset, publishedFrames } from './published_frames.ts';

// Uses a server of its own, because `kill -9` of one backend makes Postgres end all others and
// recover.

let scratch: TemporaryPostgres;
let url: string;
beforeAll(async () => {
  scratch = await startOwnPostgres();
  url = await scratch.create('crash', TEST_TEMPLATE);
  // A temporary server does not wait for its WAL, but these commits must survive a crash.
  await scratch.admin`alter database crash set synchronous_commit = on`;
});
afterAll(() => scratch?.stop());

const connect = (fetch_types = true) => postgres(url, { max: 1, fetch_types, onnotice: () => {} });

/**
 * Kills the backend of a transaction with this work, and waits until Postgres has ended all others
 * and accepts connections again. A connection in between would break at any of its queries.
 */
async function killBackendDuring(work: string): Promise<void> {
  const witness = connect(false);
  await witness`select 1`;
  const allEnded = witness`select pg_sleep(3600)`.then(
    () => {},
    () => {},
  );
  await endBackendDuring(url, work, (pid) => process.kill(pid, 'SIGKILL'));
  await allEnded;
  await witness.end({ timeout: 1 });
  await waitUntil(
    async () => {
      const probe = connect(false);
      try {
        return (await probe`select 1`).length === 1;
      } finally {
        await probe.end({ timeout: 1 });
      }
    },
    { what: 'Postgres has recovered' },
  );
}

const putPrice = (sql: postgres.Sql, second: number) =>
  putUpdate(sql, 1, {
    at: new Date(Date.now() - 60_000 + second * 1000).toISOString(),
    ask_a: [400_000 + second, 600_000],
    ask_b: [410_000, 590_000],
  });
const sent = async (sql: postgres.Sql) =>
  (await broadcasts(sql, 'markets:all')).flatMap(({ offset, frames = [] }) =>
    frames.map((_, i) => offset - frames.length + 1 + i),
  );

test('kill -9 between log and broadcast loses no frame: every committed frame is in the log and is broadcast once', async () => {
  let sql = connect();
  await putPair(sql, { n: 1 });
  await holdShardLeases(sql);
  await putPrice(sql, 0);
  await sql`select stream.broadcast_pending()`;
  const before = await sent(sql);
  expect(before).toEqual([1, 2]);
  for (let round = 1; round <= 3; round += 1) {
    await putPrice(sql, round);
    await sql.end();
    await killBackendDuring('select stream.broadcast_pending()');
    sql = connect();
    expect(await sent(sql), 'the broadcast of the killed backend was rolled back').toEqual(before);
  }
  await sql.end();
  await killBackendDuring(
    `select stream.append_publication('markets:all', array['{"type":"lost"}', '{"type":"lost"}'])`,
  );
  sql = connect();
  await putPrice(sql, 9);
  await sql`select stream.broadcast_pending()`;
  const top = await lastOffset(sql, 'markets:all');
  expect(top).toBe(6);
  expect(await sent(sql)).toEqual([1, 2, 3, 4, 5, 6]);
  expect((await publishedFrames(sql, 'markets:all')).map((frame) => frame.type)).toEqual([
    'market',
    'price',
    'price',
    'price',
    'price',
    'price',
  ]);
  await sql.end();
});
