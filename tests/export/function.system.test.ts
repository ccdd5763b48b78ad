import { type ChildProcess, execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { environmentOf, permissionsOf } from '../../local/platform/functions/environment.ts';
import { functionsFolder, spawnWorker, untilListening } from '../../local/platform/functions/worker.ts';
import { type Backend, Gateway } from '../../local/platform/gateway/gateway.ts';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { freePort } from '../../local/platform/postgres/postgres.ts';
import { stopClock } from '../api/support/catalog.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { discardOutput } from '../support/discard_output.ts';
import { type Rest, serveRest } from '../support/rest.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';
import { waitUntil } from '../support/wait_until.ts';
import { DAY, seedDay } from './support.ts';

// The workers of api and export in Deno, with the rights and the environment that `npm start` gives
// them, behind its gateway; Storage is the process of `npm start` too.

const CRON_KEY = 'cron_key_of_this_test_0123456789abcdef';

type File = { dataset: string; format: string; name: string; rows: number; bytes: number; sha256: string; url: string };
type Export = { day: string; purged_hours: number[]; expires_at: string; files: File[] };

let db: TestDatabase;
let storage: Rest;
let gateway: Gateway;
let url: string;
let clock: Awaited<ReturnType<typeof stopClock>>;
const children: ChildProcess[] = [];
const folder = temporaryFolder('export');
const keys: Record<string, string> = {};
beforeAll(async () => {
  db = await createDatabase();
  await seedDay(db);
  await db.sql`select export.create_bucket()`;
  clock = await stopClock(db.sql, `${DAY}T11:30:00Z`);
  for (const tier of ['pro', 'premium']) {
    const [row] = await db.sql<{ key: string }[]>`select account.mint_key(${`exports ${tier}`}, ${tier}) as key`;
    keys[tier] = row?.key ?? '';
  }
  storage = await serveRest(db);
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  const env = {
    DB_URL_API: db.url('parallax_api'),
    DB_URL_EXPORT: db.url('parallax_export'),
    SUPABASE_URL: url,
    SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: storage.keys.publishable }),
    SUPABASE_SECRET_KEYS: JSON.stringify({ default: storage.keys.secret }),
    EXPORT_CPU_SECONDS: '2',
    CRON_KEY,
  };
  const isUp = { untilUp: async () => true };
  const functions = new Map<string, Backend>();
  for (const name of ['api', 'export']) {
    const socketPath = join(folder, name);
    const own = environmentOf(name, env);
    const plan = { name, socketPath, env: own, permissions: permissionsOf(name, own) };
    const worker = spawnWorker({ ...plan, entrypoint: join(functionsFolder, name, 'index.ts') }, 'pipe');
    children.push(discardOutput.collect(worker));
    await untilListening(socketPath);
    functions.set(name, { name, address: { socketPath }, ...isUp });
  }
  const auth = { name: 'Storage', address: storage.address, ...isUp };
  gateway = new Gateway({ port, functions, auth, dashboard: folder, notice: '' });
  await gateway.listen();
}, 60_000);
afterAll(async () => {
  await gateway?.close();
  for (const child of children) child.kill('SIGKILL');
  await storage?.close();
  await db?.close();
  rmSync(folder, { recursive: true, force: true });
});

const ask = (path: string, key = keys.pro) =>
  fetch(`${url}/functions/v1/api${path}`, { headers: { authorization: `Bearer ${key}` } });
const exportOf = async (query = ''): Promise<Export> =>
  (await (await ask(`/v2/export/${DAY}${query}`)).json()) as Export;
const outcomeOf = async (response: Response) => [response.status, ((await response.json()) as { code: string }).code];

/** Calls the function until the day is published, as pg_cron does each minute. */
async function exportDay(): Promise<void> {
  await waitUntil(
    async () => {
      const called = await fetch(`${url}/functions/v1/export`, { method: 'POST', headers: { 'x-cron-key': CRON_KEY } });
      expect(called.status).toBe(202);
      const [row] = await db.sql<{ isPublished: boolean }[]>`
        select published_at is not null as "isPublished" from export.days where day = ${DAY}`;
      return row?.isPublished === true;
    },
    { what: 'the day is published', timeoutMs: 40_000, everyMs: 100 },
  );
}

describe('GET /v2/export/{day}', () => {
  test('has an error of its own for a day that is not complete, not there, no day, and for another tier', async () => {
    expect(await outcomeOf(await ask(`/v2/export/${DAY}`))).toEqual([409, 'export.not_ready']);
    expect(await outcomeOf(await ask('/v2/export/2026-11-21'))).toEqual([409, 'export.not_ready']);
    expect(await outcomeOf(await ask('/v2/export/2026-11-01'))).toEqual([404, 'export.not_found']);
    for (const day of ['2026-02-30', 'today', '0000-01-01', '2026-11-20T00:00:00Z'])
      expect(await outcomeOf(await ask(`/v2/export/${day}`))).toEqual([422, 'validation']);
    expect(await outcomeOf(await ask(`/v2/export/${DAY}?format=csv`))).toEqual([422, 'validation']);
    expect(await outcomeOf(await ask(`/v2/export/${DAY}`, keys.premium))).toEqual([403, 'export.tier']);
    expect(await outcomeOf(await fetch(`${url}/functions/v1/export`, { method: 'POST' }))).toEqual([
      401,
      'auth.missing_key',
    ]);
  });

  test('is read back by DuckDB, in both formats, with the rows and sums of the database', async () => {
    await clock.set('2026-11-21T01:30:00Z');
    await exportDay();
    const day = await exportOf();
    expect(day).toMatchObject({ day: DAY, purged_hours: [] });
    expect(new Set(day.files.map(({ dataset, format }) => `${dataset} ${format}`)).size).toBe(10);
    for (const file of day.files) {
      const response = await fetch(file.url);
      expect(response.status).toBe(200);
      const bytes = Buffer.from(await response.arrayBuffer());
      expect([bytes.byteLength, createHash('sha256').update(bytes).digest('hex')]).toEqual([file.bytes, file.sha256]);
      writeFileSync(join(folder, file.name), bytes);
    }
    const duck = await (await DuckDBInstance.create(':memory:')).connect();
    const rowOf = async (query: string) => {
      const [row] = (await duck.runAndReadAll(query)).getRowObjectsJson();
      return row;
    };
    const [updates] = await db.sql<Record<string, unknown>[]>`
      select sum(greatest(cardinality(ask_a), 1))::text as "rows",
             sum((select sum(a) from unnest(ask_a) a))::text as asks,
             sum((select sum(b) from unnest(size_b) b))::text as sizes,
             max(extract(epoch from priced_at) * 1000000)::bigint::text as last
      from price.updates`;
    const summary = `select count(*) as "rows", sum(venue_a_ask_usd_micros) as asks,
      sum(venue_b_ask_size_hundredths) as sizes, max(epoch_us(priced_at::timestamptz)) as last`;
    expect(await rowOf(`${summary} from '${folder}/updates-*.parquet'`)).toEqual(updates);
    expect(await rowOf(`${summary} from read_json('${folder}/updates-*.ndjson.gz', union_by_name = true)`)).toEqual(
      updates,
    );
    const opportunity = `select opportunity_id, epoch_us(closed_at) as closed, opening_total_usd_micros as cost,
      peak_legs ->> '$[0].venue' as venue from '${folder}/opportunities-0001.parquet'`;
    const [wanted] = await db.sql<Record<string, unknown>[]>`
      select 'opp_' || o.opportunity_id as opportunity_id,
             (extract(epoch from o.closed_at) * 1000000)::bigint::text as closed,
             min(s.total_cost)::text as cost, 'venue_a' as venue
      from arb.opportunities o
      join arb.opportunity_states s using (opportunity_id)
      where s.state_no = (select min(state_no) from arb.opportunity_states)
      group by o.opportunity_id`;
    expect(await rowOf(opportunity)).toEqual(wanted);
    expect(await rowOf(`select count(*) as n from '${folder}/pairs-0001.parquet'`)).toEqual({ n: '3' });
    expect(await rowOf(`select count(*) as n from '${folder}/refusals-0001.parquet'`)).toEqual({ n: '2' });
    expect(await rowOf(`select verdict, venues_agree from '${folder}/verdicts-0001.parquet'`)).toEqual({
      verdict: 'agree',
      venues_agree: true,
    });
    duck.closeSync();
  }, 60_000);

  test('is downloaded and read by the programs of docs/export.md', async () => {
    const page = readFileSync(join(repository, 'docs/export.md'), 'utf8');
    const codeOf = (language: string) => new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'm').exec(page)?.[1] ?? '';
    const home = join(folder, 'home');
    mkdirSync(home);
    writeFileSync(join(home, 'download.mjs'), codeOf('js'));
    const env = { PATH: process.env.PATH ?? '', PARALLAX_URL: `${url}/functions/v1/api`, PARALLAX_KEY: keys.pro ?? '' };
    await promisify(execFile)(process.execPath, ['download.mjs', DAY], { cwd: home, env });
    const duck = await (await DuckDBInstance.create(':memory:')).connect();
    const rows = (await duck.runAndReadAll(codeOf('sql').replaceAll("'day/", `'${home}/day/`))).getRowObjectsJson();
    expect(rows.length).toBeGreaterThan(0);
    expect(Object.keys(rows[0] ?? {})).toEqual(['market_id', 'title', 'points', 'gap_cents']);
    duck.closeSync();
  });

  test('narrows to data sets and formats', async () => {
    const { files } = await exportOf('?dataset=pairs,verdicts&format=parquet');
    expect(files.map(({ name }) => name)).toEqual(['pairs-0001.parquet', 'verdicts-0001.parquet']);
  });
});

describe('a file in Storage', () => {
  test('is refused without its token, with a changed one, with that of another file, and after an hour', async () => {
    const { files, expires_at } = await exportOf('?dataset=pairs,verdicts&format=parquet');
    const [pairs = '', verdicts = ''] = files.map((file) => file.url);
    const seconds = (Date.parse(expires_at) - Date.now()) / 1_000;
    expect(seconds).toBeGreaterThan(3_500);
    expect(seconds).toBeLessThanOrEqual(3_600);
    const statusOf = async (address: string, headers: Record<string, string> = {}) =>
      (await fetch(address, { headers })).status;
    expect(await statusOf(pairs)).toBe(200);
    const [path = '', token = ''] = pairs.split('?token=');
    const [otherPath] = verdicts.split('?token=');
    const [head, claims, signature = ''] = token.split('.');
    const claimsOf = JSON.parse(Buffer.from(claims ?? '', 'base64url').toString());
    const later = Buffer.from(JSON.stringify({ ...claimsOf, exp: claimsOf.exp + 1 })).toString('base64url');
    for (const address of [
      path,
      `${otherPath}?token=${token}`,
      `${path}?token=${head}.${later}.${signature}`,
      `${path}?token=${head}.${claims}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
      path.replace('/object/sign/', '/object/'),
      path.replace('/object/sign/', '/object/public/'),
    ]) {
      expect(await statusOf(address), address).toBeGreaterThanOrEqual(400);
      expect(await statusOf(address, { apikey: storage.keys.publishable }), address).toBeGreaterThanOrEqual(400);
    }
    const signed = await fetch(`${path}`, {
      method: 'POST',
      headers: { apikey: storage.keys.secret, 'content-type': 'application/json' },
      body: JSON.stringify({ expiresIn: 1 }),
    });
    const { signedURL } = (await signed.json()) as { signedURL: string };
    const short = `${url}/storage/v1${signedURL}`;
    expect(await statusOf(short)).toBe(200);
    await waitUntil(async () => (await statusOf(short)) >= 400, { what: 'the address has expired', timeoutMs: 5_000 });
  });

  test('cannot be written or signed without the secret key', async () => {
    for (const headers of [{}, { apikey: storage.keys.publishable }] as Record<string, string>[]) {
      const upload = await fetch(`${url}/storage/v1/object/exports/${DAY}/pairs-0001.parquet`, {
        method: 'POST',
        headers: { ...headers, 'x-upsert': 'true', 'content-type': 'text/plain' },
        body: 'forged',
      });
      expect(upload.status).toBeGreaterThanOrEqual(400);
      const sign = await fetch(`${url}/storage/v1/object/sign/exports/${DAY}/pairs-0001.parquet`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ expiresIn: 60 }),
      });
      expect(sign.status).toBeGreaterThanOrEqual(400);
    }
  });
});
