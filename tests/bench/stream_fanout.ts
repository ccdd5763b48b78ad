import { join } from 'node:path';
import postgres from 'postgres';
import { publicationPush } from '../../functions/stream/protocol.ts';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { databaseUrl, freePort } from '../../local/platform/postgres/postgres.ts';
import type { TemporaryPostgres } from '../../local/platform/postgres/temporary_postgres.ts';
import { pause } from '../support/wait_until.ts';
import { progress } from './measure.ts';
import { type ResultRow, toResultRow } from './result_row.ts';
import { frame } from './stream/frames.ts';
import { serveDeno, startClients } from './stream/processes.ts';
import { stubRealtime } from './stream/stub_realtime.ts';
import { mintTickets } from './stream/tickets.ts';

const BATCHES = 15;
const FRAMES_PER_BATCH = 100;
const ROUNDS = 8;

/** The length of a WebSocket frame of a server. */
const frameLength = (text: string) => text.length + (text.length < 126 ? 2 : text.length < 65_536 ? 4 : 10);

/**
 * Measures one channel with this many clients and 1,500 publications of 330 bytes in a round. The
 * baseline is a loop that sends the same texts.
 */
export async function measureFanout(
  scratch: TemporaryPostgres,
  template: string,
  sizes: readonly number[],
): Promise<ResultRow[]> {
  const rows: ResultRow[] = [];
  for (const clients of sizes) {
    progress(`fan-out to ${clients} clients`);
    rows.push(await fanoutTo(scratch, template, clients));
  }
  return rows;
}

async function fanoutTo(scratch: TemporaryPostgres, template: string, clients: number): Promise<ResultRow> {
  const name = `fanout_${clients}`;
  const sql = postgres(await scratch.create(name, template), { max: 2, onnotice: () => {} });
  await scratch.admin.unsafe(`alter role parallax_stream login password '${scratch.password}'`);
  const [realtime, port, barePort] = [await stubRealtime(), await freePort(), await freePort()];
  const clientProcesses = { ours: startClients(), bare: startClients() };
  const bareFile = join(repository, 'tests/bench/stream/bare_server.ts');
  const bare = await serveDeno(bareFile, barePort, {}, [String(barePort)]);
  const ours = await serveDeno(join(repository, 'functions/stream/container.ts'), port, {
    DB_URL_STREAM: databaseUrl(scratch.cluster.port, 'parallax_stream', scratch.password, name),
    SUPABASE_URL: realtime.url,
    SUPABASE_PUBLISHABLE_KEYS: '{"default":"sb_publishable_bench"}',
    STREAM_SIGNING_SECRET: 'a secret of the bench',
    // All clients have one address.
    STREAM_MOST_PER_ADDRESS: String(clients),
    PORT: String(port),
  });
  try {
    const { epoch, commands } = await mintTickets(sql, clients);
    let offset = 0;
    const measure = async (who: 'ours' | 'bare') => {
      const groups = Array.from({ length: BATCHES }, (_, b) =>
        Array.from({ length: FRAMES_PER_BATCH }, (_, n) => frame(b * FRAMES_PER_BATCH + n)),
      );
      const texts = groups.map((frames, b) =>
        frames.map((one, n) => publicationPush('"markets:all"', one, offset + b * FRAMES_PER_BATCH + n + 1)).join('\n'),
      );
      const { done } = await clientProcesses[who].count(
        clients * texts.reduce((sum, text) => sum + frameLength(text), 0),
      );
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
    await clientProcesses.bare.connect(
      barePort,
      '/stream',
      commands.map(() => 'hello'),
    );
    await clientProcesses.ours.connect(port, '/stream', commands);
    await realtime.joined('markets:all');
    await pause(2_000);
    // Alternate the two, so that other work on the machine affects both alike. The best round
    // counts. The publication log does not have these frames. If one were missed, the measurement
    // would hang.
    let [bareMs, oursMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let round = 0; round < ROUNDS; round += 1) {
      bareMs = Math.min(bareMs, await measure('bare'));
      oursMs = Math.min(oursMs, await measure('ours'));
    }
    const rate = (ms: number) => `${Math.round((clients * BATCHES * FRAMES_PER_BATCH) / ms)}k publications/s`;
    return toResultRow({
      name: `stream fan-out, ${clients.toLocaleString('en')} clients`,
      ratio: bareMs / oursMs,
      target: 0.9,
      better: 'higher',
      detail: `${rate(oursMs)}; the bare loop ${rate(bareMs)}`,
    });
  } finally {
    for (const clientProcess of Object.values(clientProcesses)) clientProcess.close();
    for (const server of [ours, bare]) server.kill('SIGKILL');
    await realtime.close();
    await sql.end({ timeout: 1 });
  }
}
