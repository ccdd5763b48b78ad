import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requestIdOf, withRequestId } from '../../functions/_shared/http/request_id.ts';
import { cleanText, createLog, levelOf } from '../../functions/_shared/log.ts';
import { describeError, errorFields } from '../../functions/_shared/pool/error_fields.ts';
import { ApiError } from '../../functions/api/http/errors.ts';
import { service as deliverService } from '../../functions/deliver/service.ts';
import { service as ingestService } from '../../functions/ingest/service.ts';
import { readable } from '../../local/platform/supervisor/log.ts';
import { type ApiFixture, createApiFixture } from '../api/support/fixture.ts';

let world: ApiFixture;
const lines: string[] = [];
const log = createLog({ function: 'api', minLevel: 'debug', print: (line) => lines.push(line) });
const cron = 'sb_secret_of_the_cron_jobs_0123456789';

beforeAll(async () => {
  world = await createApiFixture({ log, metricsKeys: [cron] });
});
afterAll(() => world.close());

const linesOf = (id: string) => lines.map((line) => JSON.parse(line)).filter(({ request_id }) => request_id === id);

describe('one request', () => {
  test('has one id in the response, in the log and in the row that it wrote', async () => {
    const key = await world.key();
    const id = 'trace-0af7651916cd43dd8448eb211c80319c';
    const answer = await fetch(`${world.api.base}/v2/report-bad-arb`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'X-Request-Id': id, 'Content-Type': 'application/json' },
      body: JSON.stringify({ reason: 'the words of the body' }),
    });
    expect(answer.ok).toBe(true);
    expect(answer.headers.get('X-Request-Id')).toBe(id);
    const rows = await world.db.sql`select request_id from arb.reports where reason = 'the words of the body'`;
    expect(rows).toEqual([{ request_id: id }]);
    expect(linesOf(id)).toEqual([
      {
        time: expect.stringMatching(/^\d{4}-.*Z$/),
        level: 'debug',
        function: 'api',
        request_id: id,
        event: 'request.completed',
        method: 'POST',
        route: '/api/v2/report-bad-arb',
        status: answer.status,
        ms: expect.any(Number),
      },
    ]);
  });

  test('is logged with its SQLSTATE and without its parameters when it fails in SQL', async () => {
    const key = await world.key();
    const { sql } = world.db;
    await sql`alter function api.get_markets(jsonb) rename to get_markets_once`;
    const id = 'fails-in-sql';
    try {
      const answer = await world.get('/v2/markets?sport=parametersecret', key, { 'X-Request-Id': id });
      expect(answer.status).toBe(500);
      expect(await answer.json()).toMatchObject({ code: 'internal', request_id: id });
    } finally {
      await sql`alter function api.get_markets_once(jsonb) rename to get_markets`;
    }
    const [failed] = linesOf(id).filter(({ event }) => event === 'request.failed');
    expect(failed).toMatchObject({ level: 'error', route: '/api/v2/markets', status: 500, sqlstate: '42883' });
    expect(JSON.stringify(failed)).not.toContain('parametersecret');
    expect(linesOf(id).filter(({ event }) => event === 'request.completed')).toHaveLength(1);
  });

  test('is logged as 503 with the reason when it finds no database', async () => {
    const key = await world.key();
    const { serveApi } = await import('../api/support/server.ts');
    const lost = await serveApi('postgres://parallax_api:hunter2secret@127.0.0.1:1/nowhere', { log });
    try {
      const headers = { Authorization: `Bearer ${key}`, 'X-Request-Id': 'finds-none' };
      expect((await fetch(`${lost.base}/v2/markets`, { headers })).status).toBe(503);
    } finally {
      await lost.close();
    }
    const [failed] = linesOf('finds-none').filter(({ event }) => event === 'request.failed');
    expect(failed).toMatchObject({ status: 503, code: 'database.unavailable', sent: false });
    expect(failed.failed).toMatch(/cannot be reached/);
  });

  test('has its id in pg_stat_activity, and leaves none on the connection', async () => {
    const rows = await world.api.pool.query<{ query: string; id: string | null }>(
      withRequestId(
        `select a.query, null as id from pg_catalog.pg_stat_activity a where a.pid = pg_backend_pid()`,
        'seen-1',
      ),
    );
    expect(rows[0]?.query).toMatch(/^\/\* request_id=seen-1 \*\/ select/);
    const { sql } = world.db;
    const [tagless] = await sql`select base.current_request_id() as id`;
    expect(tagless).toEqual({ id: null });
    expect(await sql.unsafe(withRequestId('select base.current_request_id() as id', 'seen-2'))).toEqual([
      { id: 'seen-2' },
    ]);
  });
});

describe('the log', () => {
  test('contains no key, ticket, token, query or body of a request', async () => {
    const key = await world.key();
    const minted = await fetch(`${world.api.base}/v1/stream/token`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}` },
    });
    const { token } = (await minted.json()) as { token?: string };
    const forbidden = [key, cron, 'aqueryvalue', 'abodyvalue', ...(token ? [token] : [])];
    await world.get('/v2/search?q=aqueryvalue', key);
    await world.get('/v2/markets?sport=aqueryvalue&limit=bad', key);
    await world.get(`/nowhere/at/all?key=${key}&ticket=${token}`, key);
    await world.get('/metrics?x=aqueryvalue', key, { apikey: cron });
    await world.get('/v2/markets', key, { 'X-Request-Id': key });
    await fetch(`${world.api.base}/v2/report-bad-arb`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}` },
      body: '{"reason":"abodyvalue',
    });
    log.note(`cannot reach wss://me:password1@host/realtime?apikey=${cron}&vsn=2.0.0 with ${key} and ${token}`);
    const all = lines.join('\n');
    expect(lines.length).toBeGreaterThan(6);
    for (const text of forbidden) expect(all).not.toContain(text);
    expect(all).not.toContain('password1');
    expect(all).not.toContain('?');
  });
});

describe('cleanText', () => {
  test.each([
    ['key', `sk_live_${'a1'.repeat(24)} was refused`, 'sk_live_… was refused'],
    ['secret key', 'sb_secret_Ab1-_x: no', 'sb_secret_…: no'],
    ['ticket', `ticket ${'aB3d'.repeat(8)}.`, 'ticket ….'],
    ['token', 'eyJhbGciOiJI.eyJzdWIiOiIx.c2ln', 'eyJ…'],
    ['query', 'GET https://host/a/b?token=1&x=2 failed', 'GET https://host/a/b failed'],
    ['password', 'postgres://me:pw@host:5432/db', 'postgres://host:5432/db'],
  ])('removes a %s from a text', (_, text, cleaned) => {
    expect(cleanText(text)).toBe(cleaned);
  });

  test('keeps ids and words of a text', () => {
    const text = 'pair 0b7e4c1e-6f0a-4b55-9d2c-6a3f1f6b7c11 held';
    expect(cleanText(text)).toBe(text);
  });
});

describe('the error fields of a log line', () => {
  test('contain only the SQLSTATE and the routine of a Postgres error', () => {
    const error = Object.assign(new Error('invalid input syntax for type uuid: "what a caller sent"'), {
      code: '22P02',
      severity: 'ERROR',
      routine: 'string_to_uuid',
    });
    expect(JSON.stringify(errorFields(error))).toBe('{"sqlstate":"22P02","routine":"string_to_uuid"}');
    expect(describeError(error)).toBe('sqlstate 22P02, routine string_to_uuid');
  });

  test('are empty for an API error without a cause', () => {
    expect(errorFields(new ApiError('admission.full').cause)).toEqual({});
  });
});

test('a request id that could end its SQL comment, or is a key, is replaced', () => {
  for (const bad of ['', 'a b', '*/ drop', 'a*/', 'sk_live_x', 'eyJ0', 'x'.repeat(129)]) {
    expect(requestIdOf(new Headers(bad === '' ? {} : { 'X-Request-Id': bad }))).toMatch(/^[0-9a-f-]{36}$/);
    expect(withRequestId('select 1', bad)).toBe('select 1');
  }
  expect(requestIdOf(new Headers({ 'X-Request-Id': 'mine', 'sb-request-id': 'theirs' }))).toBe('mine');
  expect(requestIdOf(new Headers({ 'sb-request-id': 'theirs' }))).toBe('theirs');
});

test('ingest and deliver accept a request id, pass it to their worker, and return it', async () => {
  const cronKey = cron;
  for (const [name, make] of [
    ['ingest', (start: (id: string) => boolean) => ingestService({ log, cronKey, heldLeases: () => [], start })],
    ['deliver', (start: (id: string) => boolean) => deliverService({ log, cronKey, start })],
  ] as const) {
    const begun: string[] = [];
    const app = make((id) => begun.push(id) > 0);
    const call = (headers: Record<string, string>) =>
      app.request(`/${name}`, { method: 'POST', headers: { 'X-Request-Id': `by-${name}`, ...headers } });
    const accepted = await call({ 'x-cron-key': cron });
    expect([accepted.status, accepted.headers.get('X-Request-Id'), begun]).toEqual([202, `by-${name}`, [`by-${name}`]]);
    const rejected = await call({ 'x-cron-key': 'wrong' });
    expect(rejected.status).toBe(401);
    expect(await rejected.json()).toMatchObject({ request_id: `by-${name}` });
    expect(linesOf(`by-${name}`).map(({ status }) => status)).toEqual([202, 401]);
  }
});

test('LOG_LEVEL suppresses lines and rejects an unknown level, and npm start prints readable lines', () => {
  const kept: string[] = [];
  const quiet = createLog({ function: 'api', minLevel: levelOf('warn'), print: (line) => kept.push(line) });
  quiet.note('suppressed');
  quiet.write('error', 'worker.failed', { sqlstate: '57014' }, 'r-1');
  expect(kept).toHaveLength(1);
  expect(() => levelOf('loud')).toThrow(/LOG_LEVEL is loud/);
  expect(readable(kept[0] ?? '')).toBe('api  worker.failed request_id=r-1 sqlstate=57014');
  expect(readable('a plain line')).toBe('a plain line');
});
