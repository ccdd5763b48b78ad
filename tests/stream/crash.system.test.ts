import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildFromSql } from '../../local/platform/postgres/build.ts';
import { startTemporaryPostgres, type TemporaryPostgres } from '../../local/platform/postgres/temporary_postgres.ts';
import { holdShardLeases, putPair, putUpdate } from '../api/support/catalog.ts';
import { waitUntil } from '../support/wait_until.ts';
import { broadcasts, endBackendDuring, lastOffset, publishedFrames } from './published_frames.ts';

// Uses a server of its own, because `kill -9` of one backend makes Postgres end all others and
// recover.

let scratch: TemporaryPostgres;
let url: string;
beforeAll(async () => {
  scratch = await startTemporaryPostgres();
  url = await scratch.create('crash');
  // A temporary server does not wait for its WAL, but these commits must survive a crash.
  await scratch.admin`alter database crash set synchronous_commit = on`;
  await buildFromSql(url);
});
afterAll(() => scratch?.stop());

const connect = () => postgres(url, { max: 1, onnotice: () => {} });
async function recovered(): Promise<postgres.Sql> {
  const connected = async () => {
    const sql = connect();
    try {
      await sql`select 1`;
      return { sql };
    } catch (error) {
      await sql.end({ timeout: 1 });
      throw error;
    }
  };
  const { sql } = await waitUntil(connected, { what: 'Postgres has recovered', timeoutMs: 10_000 });
  return sql;
}

const killBackendDuring = (work: string) => endBackendDuring(url, work, (pid) => process.kill(pid, 'SIGKILL'));

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
  let sql = await recovered();
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
    sql = await recovered();
    expect(await sent(sql), 'the broadcast of the killed backend was rolled back').toEqual(before);
  }
  await sql.end();
  await killBackendDuring(
    `select stream.append_publication('markets:all', array['{"type":"lost"}', '{"type":"lost"}'])`,
  );
  sql = await recovered();
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
}, 60_000);
