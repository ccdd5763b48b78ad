import { join } from 'node:path';
import postgres from 'postgres';
import { publicationPush } from '../../functions/stream/protocol.ts';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { databaseUrl, freePort } from '../../local/platform/postgres/postgres.ts';
import type { TemporaryPostgres } from '../../local/platform/postgres/temporary_postgres.ts';
import { pause } from '../support/wait_until.ts';
import { progress } from './measure.ts';
import { type Row, rowOf } from './result_row.ts';
import { gather, serveDeno } from './stream/processes.ts';
import { stubRealtime } from './stream/stub_realtime.ts';

const batches = 15;
const framesInBatch = 100;
const rounds = 8;

const frame = (n: number) =>
  `{"type":"price","id":"mkt_00000000-0000-4000-8000-${String(n % 3000).padStart(12, '0')}","priced_at":"2026-11-20T12:00:00.000Z","books_read_at":{"venue_a":"2026-11-20T12:00:00.000Z","venue_b":"2026-11-20T12:00:00.000Z"},"spread_pts":${n % 50},"potential_arb_pct":null,"signal":"spread","outcomes":[{"key":"home","venue_a":0.4,"venue_b":0.42},{"key":"away","venue_a":0.61,"venue_b":0.6}]}`;

/** Length of a server's WebSocket frame. */
const framed = (text: string) => text.length + (text.length < 126 ? 2 : text.length < 65_536 ? 4 : 10);

/** One channel to so many clients, 1,500 publications of 330 bytes a round, beside a loop that sends the same texts. */
export async function streamFanout(
  scratch: TemporaryPostgres,
  house: string,
  sizes: readonly number[],
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const clients of sizes) {
    progress(`fan-out to ${clients} clients`);
    rows.push(await fanoutTo(scratch, house, clients));
  }
  return rows;
}

async function fanoutTo(scratch: TemporaryPostgres, house: string, clients: number): Promise<Row> {
  const name = `fanout_${clients}`;
  const sql = postgres(await scratch.create(name, house), { max: 2, onnotice: () => {} });
  await scratch.admin.unsafe(`alter role parallax_stream login password '${scratch.password}'`);
  const [realtime, port, barePort] = [await stubRealtime(), await freePort(), await freePort()];
  const crowds = { ours: gather(), bare: gather() };
  const bareFile = join(repository, 'tests/bench/stream/bare_server.ts');
  const bare = await serveDeno(bareFile, barePort, {}, [String(barePort)]);
  const ours = await serveDeno(join(repository, 'functions/stream/container.ts'), port, {
    DB_URL_STREAM: databaseUrl(scratch.cluster.port, 'parallax_stream', scratch.password, name),
    SUPABASE_URL: realtime.url,
    SUPABASE_SECRET_KEYS: '{"default":"sb_secret_bench"}',
    PORT: String(port),
  });
  try {
    const { epoch, said } = await admit(sql, clients);
    let offset = 0;
    const measure = async (who: 'ours' | 'bare') => {
      const groups = Array.from({ length: batches }, (_, b) =>
        Array.from({ length: framesInBatch }, (_, n) => frame(b * framesInBatch + n)),
      );
      const texts = groups.map((frames, b) =>
        frames.map((one, n) => publicationPush('"markets:all"', one, offset + b * framesInBatch + n + 1)).join('\n'),
      );
      const { done } = await crowds[who].count(clients * texts.reduce((sum, text) => sum + framed(text), 0));
      const from = performance.now();
      if (who === 'bare') void fetch(`http://127.0.0.1:${barePort}/`, { method: 'POST', body: JSON.stringify(texts) });
      else {
        for (const frames of groups) {
          offset += frames.length;
          realtime.broadcast('markets:all', epoch, offset, frames);
        }
      }
      return (await done) - from;
    };
    await crowds.bare.connect(
      barePort,
      '/stream',
      said.map(() => 'hello'),
    );
    await crowds.ours.connect(port, '/stream', said);
    await realtime.joined('markets:all');
    await pause(2_000);
    // In turns, so that whatever else the machine does meets both alike; the best of each counts. The log does not have these frames: were
    // one of them missed, nobody could make up for it, and this would not end.
    let [bareMs, oursMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let round = 0; round < rounds; round += 1) {
      bareMs = Math.min(bareMs, await measure('bare'));
      oursMs = Math.min(oursMs, await measure('ours'));
    }
    const rate = (ms: number) => `${Math.round((clients * batches * framesInBatch) / ms)}k publications/s`;
    return rowOf({
      name: `stream fan-out, ${clients.toLocaleString('en')} clients`,
      ratio: bareMs / oursMs,
      target: 0.9,
      better: 'higher',
      detail: `${rate(oursMs)}; the bare loop ${rate(bareMs)}`,
    });
  } finally {
    for (const crowd of Object.values(crowds)) crowd.close();
    for (const server of [ours, bare]) server.kill('SIGKILL');
    await realtime.close();
    await sql.end({ timeout: 1 });
  }
}

/** A connect command for each client, all of one organization that has the room. */
async function admit(sql: postgres.Sql, clients: number): Promise<{ epoch: string; said: string[] }> {
  await sql`update account.tiers set stream_connections = 32000 where tier = 'basic'`;
  await sql`select account.mint_key('crowd', 'basic')`;
  const rows = await sql<{ ticket: string }[]>`
    select stream.mint_ticket(k.hash) ->> 'ticket' as ticket
    from (select k.hash, set_config('parallax.org', k.org_id::text, false) from account.keys k) k
    cross join generate_series(1, ${clients}::integer)`;
  const [channel] = await sql<{ epoch: string }[]>`select epoch from stream.channels where channel = 'markets:all'`;
  return {
    epoch: channel?.epoch ?? '',
    said: rows.map(({ ticket }) => `{"id":1,"connect":{"data":{"t":"${ticket}"}}}`),
  };
}
