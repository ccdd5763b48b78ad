import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { denoProgram, repository } from '../../local/platform/postgres/binaries.ts';
import { freePort } from '../../local/platform/postgres/postgres.ts';
import type { TemporaryPostgres } from '../../local/platform/postgres/temporary_postgres.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';
import { waitUntil } from '../support/wait_until.ts';
import { exactCpuTimeOf } from './cpu_time.ts';
import { createMarketsFixture, path, rateOf } from './markets_fixture.ts';
import { interleaved, median, progress } from './measure.ts';
import { getOf, RawClient } from './raw_client.ts';
import { type ResultRow, toResultRow } from './result_row.ts';

/** Enough that the server never waits for the client. */
const CONNECTIONS = 16;
const TARGET = 0.5;

type BareServer = { port: number; pid: number; stop(): void };

/** Serves the response that the API gives to `request` from a bare Deno.serve. */
async function startBareServer(base: string, at: string, key: string): Promise<BareServer> {
  const folder = temporaryFolder('bare_http');
  const file = join(folder, 'answer.json');
  writeFileSync(file, JSON.stringify(await answerOf(base, at, key)));
  const port = await freePort();
  const server: ChildProcess = spawn(
    denoProgram(),
    [
      ...['run', '--quiet', '--no-prompt', '--cached-only', '--allow-net', '--allow-read'],
      fileURLToPath(new URL('bare_http_server.ts', import.meta.url)),
      ...[String(port), file],
    ],
    {
      cwd: repository,
      env: { ...process.env, DENO_NO_UPDATE_CHECK: '1' },
      stdio: ['ignore', 'ignore', 'inherit'],
      // A session of its own, like the isolate: the kernel shares a busy CPU between sessions.
      detached: true,
    },
  );
  await waitUntil(async () => (await fetch(`http://127.0.0.1:${port}`)).ok, {
    what: 'the bare server answers',
    timeoutMs: 30_000,
    failed: () => server.exitCode !== null && 'Deno ended',
  });
  return {
    port,
    pid: server.pid ?? 0,
    stop() {
      server.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The headers and the bytes of the API, as they are on the wire. */
function answerOf(base: string, at: string, key: string): Promise<{ headers: Record<string, string>; body: string }> {
  const headers = { Authorization: `Bearer ${key}`, 'Accept-Encoding': 'gzip' };
  return new Promise((resolve, reject) => {
    get(new URL(at, base), { headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        const sent = Object.entries(response.headers).filter(
          ([name]) => !/^(date|connection|content-length)$/.test(name),
        );
        const named = Object.fromEntries(sent.map(([name, value]) => [name, String(value)]));
        resolve({ headers: named, body: Buffer.concat(parts).toString('base64') });
      });
    }).on('error', reject);
  });
}

/**
 * Measures requests a second of one key with leases, within a step. The baseline is a bare
 * Deno.serve that sends the same headers and bytes to the same client, over as many connections.
 * The detail has the rate of a key without leases.
 */
export async function measureLeases(
  scratch: TemporaryPostgres,
  template: string,
  pairs: number,
  seconds = 2,
  rounds = 5,
): Promise<ResultRow[]> {
  const fixture = await createMarketsFixture(scratch, template, pairs, 'leases');
  const rows: ResultRow[] = [];
  try {
    await fixture.sql`select account.set_lease_percent(k.org_id, 1) from account.keys k`;
    const [row] = await fixture.sql<{ key: string }[]>`select account.mint_key('without leases', 'pro') as key`;
    const countedKey = row?.key ?? '';
    for (const limit of [50, 500]) {
      progress(`GET /v2/markets?limit=${limit} with leases, ${pairs} pairs`);
      const bare = await startBareServer(fixture.isolate.base, path(limit), fixture.key);
      const request = getOf(path(limit), fixture.key, true);
      const open = (port: number) => Promise.all(Array.from({ length: CONNECTIONS }, () => RawClient.open(port)));
      const clients = { api: await open(Number(new URL(fixture.isolate.base).port)), bare: await open(bare.port) };
      const pids = { api: fixture.isolate.pid, bare: bare.pid };
      const cost = { api: [] as number[], bare: [] as number[] };
      const measure = async (name: keyof typeof clients) => {
        const before = exactCpuTimeOf(pids[name]) ?? Number.NaN;
        const rate = await rateOf(clients[name], request, seconds);
        cost[name].push((((exactCpuTimeOf(pids[name]) ?? Number.NaN) - before) * 1000) / (rate * seconds));
        return rate;
      };
      try {
        const result = await interleaved(rounds, {
          bare: () => measure('bare'),
          api: () => measure('api'),
          counted: () => rateOf(clients.api, getOf(path(limit), countedKey, true), seconds),
        });
        const [apiCost, bareCost] = [Math.round(median(cost.api)), Math.round(median(cost.bare))];
        rows.push(
          toResultRow({
            name: `GET /v2/markets?limit=${limit} gzip with leases, ${pairs} pairs`,
            ratio: result.api / result.bare,
            target: TARGET,
            better: 'higher',
            detail: `${Math.round(result.api)} a second; a bare Deno.serve of the same bytes ${Math.round(result.bare)}; CPU time of the process ${apiCost} us, of the bare one ${bareCost} us; without leases ${Math.round(result.counted)} a second`,
          }),
        );
      } finally {
        for (const client of [...clients.api, ...clients.bare]) client.close();
        bare.stop();
      }
    }
  } finally {
    await fixture.close();
  }
  return rows;
}
