import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildFromSql } from '../../local/platform/postgres/build.ts';
import { startTemporaryPostgres, type TemporaryPostgres } from '../../local/platform/postgres/temporary_postgres.ts';
import { holdBooks, putFrame, putPair } from '../api/support/catalog.ts';
import { waitUntil } from '../support/wait_until.ts';
import { broadcasts, endedDoing, said, topOf } from './published_frames.ts';

// A server of its own: kill -9 of one backend makes Postgres throw all others out and recover.

let scratch: TemporaryPostgres;
let url: string;
beforeAll(async () => {
  scratch = await startTemporaryPostgres();
  url = await scratch.create('crash');
  // A scratch server does not wait for its log; here what was committed must be there after a crash.
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

const killedDoing = (work: string) => endedDoing(url, work, (pid) => process.kill(pid, 'SIGKILL'));

const price = (sql: postgres.Sql, second: number) =>
  putFrame(sql, 1, {
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
  await holdBooks(sql);
  await price(sql, 0);
  await sql`select stream.broadcast_pending()`;
  const before = await sent(sql);
  expect(before).toEqual([1, 2]);
  for (let round = 1; round <= 3; round += 1) {
    await price(sql, round);
    await sql.end();
    await killedDoing('select stream.broadcast_pending()');
    sql = await recovered();
    expect(await sent(sql), 'what the dead one sent died with it').toEqual(before);
  }
  await sql.end();
  await killedDoing(`select stream.append_publication('markets:all', array['{"type":"lost"}', '{"type":"lost"}'])`);
  sql = await recovered();
  await price(sql, 9);
  await sql`select stream.broadcast_pending()`;
  const top = await topOf(sql, 'markets:all');
  expect(top).toBe(6);
  expect(await sent(sql)).toEqual([1, 2, 3, 4, 5, 6]);
  expect((await said(sql, 'markets:all')).map((frame) => frame.type)).toEqual([
    'market',
    'price',
    'price',
    'price',
    'price',
    'price',
  ]);
  await sql.end();
}, 60_000);
