import { createHmac, generateKeyPairSync, randomUUID, verify } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createES256Signer } from '../../../functions/_shared/signing.ts';
import { isWellFormedTicket } from '../../../functions/_shared/ticket.ts';
import { streamReplay, streamState, streamTicket } from '../../../functions/api/contract/stream.ts';
import { streamSettingsOf } from '../../../functions/api/stream_token.ts';
import { holdShardLeases, idOf, putUpdates } from '../../api/support/catalog.ts';
import { type RunningApi, serveApi } from '../../api/support/server.ts';
import { good } from '../../arb/fixture.ts';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { type ChannelState, ReplayedState } from '../../support/replayed_state.ts';
import { putPairs } from '../fixture.ts';
import { putQuotes } from '../quote_fixtures.ts';
import { expectedState } from '../truth.ts';
import { createKey } from './minted.ts';

const secret = 'a-secret-of-at-least-thirty-two-letters';
const platform: Record<string, string> = {
  SUPABASE_URL: 'https://example.supabase.co/',
  SUPABASE_PUBLISHABLE_KEYS: '{"default":"sb_publishable_test"}',
  STREAM_SIGNING_SECRET: secret,
};

let db: TestDatabase;
let api: RunningApi;
beforeAll(async () => {
  db = await createDatabase();
  api = await serveApi(db.url('parallax_api'), { stream: streamSettingsOf((name) => platform[name]) });
});
afterAll(async () => {
  await api.close();
  await db.close();
});

const request = (path: string, key: string, method = 'GET', body?: string) =>
  fetch(`${api.base}${path}`, { method, headers: { Authorization: `Bearer ${key}` }, ...(body ? { body } : {}) });
const mint = async (key: string) => streamTicket.parse(await (await request('/v1/stream/token', key, 'POST')).json());
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

describe('POST /v1/stream/token', () => {
  test.each([
    ['free', ['sample', 'status'], 1],
    ['basic', ['markets:all', 'status'], 3],
    ['premium', ['markets:all', 'status'], 10],
    ['pro', ['best:all', 'markets:all', 'quotes:all', 'status'], 10],
  ])('returns the channels and connections of tier %s', async (tier, channels, connections) => {
    const { key, orgId } = await createKey(db.sql, tier);
    const { ticket, ws_url, expires_in, allowed, realtime } = await mint(key);
    expect([isWellFormedTicket(ticket), isWellFormedTicket(ticket.toLowerCase())]).toEqual([true, false]);
    expect([ws_url, expires_in]).toEqual(['wss://example.supabase.co/functions/v1/stream', 120]);
    expect(allowed).toEqual({ channels: [...channels, `org:${orgId}`].sort(), max_conns: connections });
    expect(realtime?.topics).toEqual(
      allowed.channels.filter((channel) => !['quotes:all', 'best:all'].includes(channel)),
    );
  });

  test('signs a Realtime token that names the organization and no person, for two minutes', async () => {
    const { key, orgId } = await createKey(db.sql, 'basic');
    const { realtime } = await mint(key);
    const [head, body, signature] = realtime?.access_token.split('.') ?? [];
    expect(createHmac('sha256', secret).update(`${head}.${body}`).digest('base64url')).toBe(signature);
    const claims = claimsOf(realtime?.access_token ?? '');
    expect(claims).toMatchObject({ role: 'authenticated', org: orgId });
    expect(claims.exp - claims.iat).toBe(120);
    expect(claims).not.toHaveProperty('sub');
    expect([realtime?.url, realtime?.apikey]).toEqual(['https://example.supabase.co', 'sb_publishable_test']);
  });

  test('returns at most max_conns Realtime tokens that are valid at once, and always the ticket', async () => {
    const { key, orgId } = await createKey(db.sql, 'basic');
    const minted = await Promise.all(Array.from({ length: 9 }, () => mint(key)));
    expect(minted.filter((one) => one.realtime)).toHaveLength(3);
    expect(new Set(minted.map((one) => one.ticket)).size).toBe(9);
    // In the last 45 seconds of a token the next one is issued.
    await db.sql`
      update stream.realtime_grants set expires_at = clock_timestamp() + interval '44 seconds' where org_id = ${orgId}`;
    expect((await mint(key)).realtime).not.toBeNull();
  });

  test('uses the rate-limit window alone, and succeeds with an exhausted quota', async () => {
    const { key, orgId } = await createKey(db.sql, 'free');
    await db.sql`update account.usage set month_used = 10000 where org_id = ${orgId}`;
    const response = await request('/v1/stream/token', key, 'POST');
    expect(response.status).toBe(200);
    expect(response.headers.get('RateLimit')).toMatch(/^"window";r=599;t=\d+, "month";r=0;/);
    expect(response.headers.get('Cache-Control')).toBe('no-store');
  });

  test('answers 401, 402 and 429 like every route, and creates no ticket then', async () => {
    await db.sql`delete from stream.tickets`;
    const { key, orgId } = await createKey(db.sql, 'free');
    const flipped = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
    for (const [given, code] of [
      ['', 'auth.missing_key'],
      [flipped, 'auth.malformed_key'],
    ] as const) {
      const response = await request('/v1/stream/token', given, 'POST');
      expect([response.status, (await response.json()).code]).toEqual([401, code]);
    }
    await db.sql`update account.usage set window_began_at = clock_timestamp(), window_used = 600 where org_id = ${orgId}`;
    expect((await request('/v1/stream/token', key, 'POST')).status).toBe(429);
    await db.sql`update account.subscriptions set status = 'inactive' where org_id = ${orgId}`;
    expect((await request('/v1/stream/token', key, 'POST')).status).toBe(402);
    await db.sql`update account.keys set revoked_at = clock_timestamp() where org_id = ${orgId}`;
    expect((await request('/v1/stream/token', key, 'POST')).status).toBe(401);
    expect(await db.sql`select from stream.tickets`).toHaveLength(0);
    const get = await request('/v1/stream/token', key);
    expect([get.status, get.headers.get('Allow')]).toEqual([405, 'POST, OPTIONS']);
  });

  test('ignores any body', async () => {
    const { key } = await createKey(db.sql, 'free');
    for (const body of ['{', '[]', 'null', `{"org":"${randomUUID()}"}`]) {
      expect((await request('/v1/stream/token', key, 'POST', body)).status).toBe(200);
    }
  });

  test('offers no Realtime when the function has no signing key', async () => {
    const bare = await serveApi(db.url('parallax_api'));
    const { key } = await createKey(db.sql, 'pro');
    const response = await fetch(`${bare.base}/v1/stream/token`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}` },
    });
    expect(streamTicket.parse(await response.json()).realtime).toBeNull();
    await bare.close();
  });
});

test('signs ES256 with a key of the project, as the published half proves', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signer = await createES256Signer(
    JSON.stringify({ ...privateKey.export({ format: 'jwk' }), kid: 'mine', alg: 'ES256' }),
  );
  const [head = '', body = '', signature = ''] = (await signer.sign({ org: 'é' })).split('.');
  expect(JSON.parse(Buffer.from(head, 'base64url').toString())).toEqual({ alg: 'ES256', typ: 'JWT', kid: 'mine' });
  const signed = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
  expect(verify('sha256', Buffer.from(`${head}.${body}`), signed, Buffer.from(signature, 'base64url'))).toBe(true);
  expect(verify('sha256', Buffer.from(`${head}.${body}x`), signed, Buffer.from(signature, 'base64url'))).toBe(false);
  await expect(createES256Signer('{"kty":"oct"}')).rejects.toThrow('P-256');
});

describe('GET /v1/stream/replay', () => {
  const replay = async (key: string, query: string) => {
    const response = await request(`/v1/stream/replay?${query}`, key);
    return { status: response.status, body: await response.json() };
  };

  test('returns the frames after an offset, type first, page by page', async () => {
    const { key } = await createKey(db.sql, 'basic');
    await db.sql`
      select stream.append_publication('markets:all', array(select '{"type":"price","id":"' || n || '"}' from generate_series(1, 700) n))`;
    const [position] = await db.sql<{ epoch: string; top: string }[]>`
      select epoch, last_offset as top from stream.channels where channel = 'markets:all'`;
    const [top, seen] = [Number(position?.top), [] as string[]];
    for (let after = top - 700; after < top; ) {
      const { body } = await replay(key, `channel=markets:all&epoch=${position?.epoch}&after=${after}`);
      const page = streamReplay.parse(body);
      expect(page).toMatchObject({ channel: 'markets:all', epoch: position?.epoch, recovered: true, top });
      expect(page.frames.length).toBe(page.offset - after);
      seen.push(...page.frames.map((frame) => String(frame.id)));
      after = page.offset;
    }
    expect(seen).toEqual(Array.from({ length: 700 }, (_, n) => String(n + 1)));
    const raw = await (
      await request(`/v1/stream/replay?channel=markets:all&epoch=${position?.epoch}&after=${top - 1}`, key)
    ).text();
    expect(raw).toContain('"frames":[{"type":"price","id":"700"}]');
  });

  test('returns the position to continue from when the epoch differs', async () => {
    const { key } = await createKey(db.sql, 'basic');
    const { body } = await replay(key, 'channel=markets:all&epoch=gone&after=5');
    expect(streamReplay.parse(body)).toMatchObject({ recovered: false, frames: [], offset: body.top });
  });

  test('gives the same error for foreign channels, higher tiers and unknown channels', async () => {
    const [one, other] = [await createKey(db.sql, 'basic'), await createKey(db.sql, 'pro')];
    await db.sql`select stream.append_publication(${`org:${other.orgId}`}, array['{"type":"plan"}'])`;
    for (const channel of ['quotes:all', 'sample', `org:${other.orgId}`, 'candidates:x', 'nonsense', "'; drop"]) {
      const { status, body } = await replay(one.key, `channel=${encodeURIComponent(channel)}`);
      expect([channel, status, body.code]).toEqual([channel, 404, 'channel.not_found']);
    }
  });

  test.each([
    '',
    'channel=',
    'channel=status&after=-1',
    'channel=status&after=1e9',
    'channel=status&channel=status',
    'channel=%00',
  ])('answers 422 to ?%s', async (query) => {
    const { key } = await createKey(db.sql, 'basic');
    expect((await replay(key, query)).status).toBe(422);
  });
});

describe('GET /v1/stream/state', () => {
  const state = (key: string, channel: string, headers: Record<string, string> = {}) =>
    fetch(`${api.base}/v1/stream/state?channel=${channel}`, {
      headers: { Authorization: `Bearer ${key}`, 'Accept-Encoding': 'identity', ...headers },
    });

  test('returns markets, opportunities and quotes at the newest offset of the channel', async () => {
    const { key } = await createKey(db.sql, 'pro');
    await holdShardLeases(db.sql);
    await putPairs(db.sql, 6);
    const at = new Date().toISOString();
    const [asks, sizes] = [
      [300_000, 690_000],
      [100, 100],
    ];
    const prices = { at, ask_a: asks, ask_b: [...asks].reverse(), size_a: sizes, size_b: sizes };
    await putUpdates(db.sql, [
      [2, { ...prices, opp: good(2, 1_000) }],
      [1, { at, void: 'feed.silent', opp: null }],
    ]);
    await putQuotes(db.sql, [
      { n: 1, no: 1, bid: 290_000, ask: 300_000 },
      { n: 2, no: 1, bid: null, ask: null },
    ]);
    await db.sql`select stream.publish_changes(array(select pair_id from catalog.pairs))`;
    const body = streamState.parse(await (await state(key, 'markets:all')).json());
    const [position] = await db.sql<{ epoch: string; top: number }[]>`
      select epoch, last_offset::integer as top from stream.channels where channel = 'markets:all'`;
    expect([body.epoch, body.offset, body.feeds, body.quotes]).toEqual([position?.epoch, position?.top, null, null]);
    expect(new ReplayedState(body as unknown as ChannelState).state()).toEqual(
      await expectedState(db.sql, 'markets:all'),
    );
    expect([body.markets.length, body.opportunities.length]).toEqual([6, 1]);
    const quotes = streamState.parse(await (await state(key, 'quotes:all')).json());
    expect(quotes.quotes).toEqual([expect.objectContaining({ type: 'quote', venue: 'venue_a', bid: 0.29, ask: 0.3 })]);
    expect(quotes.markets).toEqual([]);
    await db.sql`select stream.publish_best()`;
    const best = streamState.parse(await (await state(key, 'best:all')).json());
    expect(best.best?.map(({ id, best }) => [id, best.length])).toEqual([[idOf(2), 2]]);
    expect([best.offset, best.markets, best.quotes]).toEqual([1, [], null]);
  });

  test('is sent gzipped to a client that accepts it, and is stored by no cache', async () => {
    const { key } = await createKey(db.sql, 'basic');
    const answer = await state(key, 'markets:all', { 'Accept-Encoding': 'gzip' });
    expect(answer.headers.get('Content-Encoding')).toBe('gzip');
    expect([answer.headers.get('Cache-Control'), answer.headers.get('Vary')]).toEqual([
      'no-store',
      expect.stringContaining('Accept-Encoding'),
    ]);
    expect(streamState.parse(await answer.json()).markets.length).toBe(6);
    expect((await state(key, 'markets:all')).headers.get('Content-Encoding')).toBeNull();
  });

  test('gives the same error for channels of a higher tier and unknown ones, and 422 without a channel', async () => {
    const { key } = await createKey(db.sql, 'free');
    for (const channel of ['markets:all', 'quotes:all', 'best:all', 'nonsense']) {
      const answer = await state(key, channel);
      expect([channel, answer.status, (await answer.json()).code]).toEqual([channel, 404, 'channel.not_found']);
    }
    expect([(await state(key, 'status')).status, (await state(key, '')).status]).toEqual([200, 422]);
  });
});
