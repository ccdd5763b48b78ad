import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { WatchResult } from '../../functions/api/mcp/watch.ts';
import { changePair, putPair, putUpdate } from '../api/support/catalog.ts';
import { publishedFrames } from '../stream/published_frames.ts';
import { waitUntil } from '../support/wait_until.ts';
import { createMcpFixture, idOf, type McpFixture, uuidOf } from './support/fixture.ts';
import { callTool, post, request, type ToolResult } from './support/post.ts';

let world: McpFixture;
beforeAll(async () => {
  world = await createMcpFixture();
  await putPair(world.db.sql, { n: 31, confirmed: true });
  await putPair(world.db.sql, { n: 32, confirmed: true });
  await price(31);
  await price(32);
  await price(9);
  // The first message loads the SDK, which would delay the first watch.
  await callTool(world, await world.key(), 'list_categories', {});
});
afterAll(() => world.close());
afterEach(() => {
  vi.restoreAllMocks();
  world.watchTime.release();
});

let minute = 0;
/** Stores a new price of a market, later than all before and later than the REST snapshot. */
async function price(n: number): Promise<void> {
  minute++;
  const at = new Date(Date.UTC(2026, 10, 20, 11, 59, 0, minute)).toISOString();
  await putUpdate(world.db.sql, n, { at, ask_a: [400_000 + 100 * minute, 590_000], ask_b: [450_000, 560_000] });
}

/** Counts the reads of the log that running calls have started. */
function countReads(): () => number {
  const queries = vi.spyOn(world.api.pool, 'query').mock.calls;
  return () => queries.filter(([text]) => String(text).includes('api.continue_market_watch(')).length;
}
const setOrg = (key: string, set: string) =>
  world.db.sql.unsafe(
    `update ${set} where org_id = (select k.org_id from account.keys k where k.hash = account.key_hash('${key}'))`,
  );

/** Calls watch_markets and runs `meanwhile` during the call, before any second of it has passed. */
async function watching(
  key: string,
  args: object,
  meanwhile: (reads: () => number) => Promise<unknown> = async () => {},
): Promise<ToolResult> {
  world.watchTime.hold();
  const reads = countReads();
  const before = reads();
  let isOver = false;
  const call = callTool(world, key, 'watch_markets', { seconds: 2, ...args }).finally(() => {
    isOver = true;
  });
  await waitUntil(() => isOver || reads() > before, { what: 'the first read, or an error' });
  await meanwhile(reads);
  world.watchTime.release();
  return (await call).message.result as ToolResult;
}
const resultOf = (result: ToolResult) => result.structuredContent as unknown as WatchResult;

describe('the frames of watch_markets', () => {
  test('are the frames that the log has for these markets during the watch', async () => {
    const { sql } = world.db;
    const [{ top } = { top: '0' }] = await sql<
      { top: string }[]
    >`select last_offset as top from stream.channels where channel = 'markets:all'`;
    const result = await watching(await world.key('basic'), { market_ids: [idOf(31), uuidOf(32)] }, async () => {
      await price(31);
      await price(1);
      await price(32);
      await price(31);
      // A title that looks like the frame of another market does not select that market.
      await changePair(sql, 31, { title: `Renamed","id":"${idOf(1)}","market_id":"${idOf(1)}` });
      await changePair(sql, 1, { title: `x","id":"${idOf(31)}` });
      await sql`select stream.publish_changes(stream.unpublished_pairs())`;
    });
    const watched = resultOf(result);
    const logged = (await publishedFrames(sql, 'markets:all', Number(top))).filter(
      (frame) => 'id' in frame && [idOf(31), idOf(32)].includes(frame.id),
    );
    expect(logged.map((frame) => frame.type)).toEqual(['price', 'price', 'price', 'market']);
    expect(JSON.stringify(watched.frames)).toBe(JSON.stringify(logged));
    expect(watched).toMatchObject({
      mode: 'frames',
      seconds: 2,
      market_ids: [idOf(31), idOf(32)],
      unheard: [],
      omitted: 0,
      lost: false,
      ended: null,
    });
    expect(result.content[0]?.text).toContain('4 frames');
  });

  test('start with the current prices and not with those of the REST snapshot', async () => {
    const key = await world.key('basic');
    await price(31);
    const { now } = resultOf(await watching(key, { market_ids: [idOf(31)], seconds: 1 }));
    const rest = await (await world.get(`/v2/pairs/${idOf(31)}`, key)).json();
    expect(now).toHaveLength(1);
    expect(JSON.stringify(now[0])).toMatch(/^\{"type":"price","id":"mkt_/);
    expect((now[0]?.priced_at as string) > rest.priced_at || rest.outcomes.length === 0).toBe(true);
  });

  test('include opportunities and changes of status', async () => {
    const { sql } = world.db;
    const result = await watching(await world.key('basic'), { market_ids: [idOf(21)] }, async () => {
      await changePair(sql, 21, { status: 'live' });
      await sql`select stream.publish_changes(stream.unpublished_pairs())`;
    });
    const { frames } = resultOf(result);
    expect(frames.map((frame) => frame.type)).toContain('market_status');
    expect(frames.find((frame) => frame.type === 'market_status')).toEqual({
      type: 'market_status',
      id: idOf(21),
      from: 'open',
      to: 'live',
    });
    const updated = frames.filter((frame) => frame.type === 'opportunity');
    expect(updated).toMatchObject([
      {
        state: 'updated',
        opportunity: {
          market_id: idOf(21),
          risks: expect.arrayContaining([expect.objectContaining({ event: 'void_rule', severity: 'medium' })]),
          rule: { agreeing: 400, diverging: 0 },
          weakest_link: expect.stringMatching(/^Medium risk: /),
        },
      },
    ]);
    // The text names each risk as well.
    const { risks } = (updated[0]?.opportunity ?? { risks: [] }) as { risks: { event: string; severity: string }[] };
    const named = risks.map(({ event, severity }) => `${event} (${severity})`).join(', ');
    expect(result.content[0]?.text).toContain(`risks: ${named}`);
  });

  test('are the newest ones when there are more than the limit, with the number of omitted frames', async () => {
    const watched = resultOf(
      await watching(await world.key('basic'), { market_ids: [idOf(31)], limit: 2 }, async () => {
        for (let i = 0; i < 5; i++) await price(31);
      }),
    );
    const last = (await publishedFrames(world.db.sql, 'markets:all'))
      .filter((frame) => frame.type === 'price' && frame.id === idOf(31))
      .slice(-2);
    expect([watched.frames, watched.omitted]).toEqual([last, 3]);
  });

  test('are marked as lost when the channel was reset during the watch', async () => {
    const watched = resultOf(
      await watching(await world.key('basic'), { market_ids: [idOf(31)] }, async (reads) => {
        await world.db.sql`select stream.reset_channel('markets:all')`;
        // The read that may be running, and one more.
        const before = reads();
        await waitUntil(() => reads() > before + 1, { what: 'a read of the new log', everyMs: 10 });
        await price(31);
      }),
    );
    expect([watched.lost, watched.frames.length]).toEqual([true, 1]);
  });
});

describe('the entitlement of watch_markets', () => {
  test('limits Free to the sample and lists the markets that are not watched', async () => {
    const { sql } = world.db;
    const key = await world.key('free');
    const rejected = await watching(key, { market_ids: [idOf(31)], seconds: 1 });
    expect([rejected.isError, rejected._meta?.['parallax/error']?.code]).toEqual([true, 'stream.tier']);
    await sql`insert into stream.sample_markets (pair_id) values (${uuidOf(32)}) on conflict do nothing`;
    const watched = resultOf(
      await watching(key, { market_ids: [idOf(31), idOf(32), idOf(999)] }, async () => {
        await changePair(sql, 32, { title: 'In the sample' });
        await sql`select stream.publish_changes(stream.unpublished_pairs())`;
      }),
    );
    expect(watched.market_ids).toEqual([idOf(32)]);
    expect(watched.unheard).toEqual([
      { id: idOf(31), code: 'stream.tier' },
      { id: idOf(999), code: 'pair.not_found' },
    ]);
    expect(watched.frames.map((frame) => [frame.type, frame.id])).toContainEqual(['market', idOf(32)]);
    expect(watched.now.map((frame) => frame.id)).toEqual([idOf(32)]);
  });

  test('includes candidates for Pro only', async () => {
    const basic = await watching(await world.key('basic'), { market_ids: [idOf(9)], seconds: 1 });
    expect(basic._meta?.['parallax/error']?.code).toBe('stream.tier');
    const pro = resultOf(await watching(await world.key('pro'), { market_ids: [idOf(9)] }, () => price(9)));
    expect(pro.frames.map((frame) => frame.type)).toEqual(['price']);
  });

  test.each([
    ['a revoked key', 'account.keys set revoked_at = clock_timestamp()', 'auth.revoked_key'],
    ['a plan that ended', "account.subscriptions set status = 'inactive'", 'billing.inactive'],
    ['a smaller tier', "account.subscriptions set tier = 'free'", 'stream.tier'],
  ])('ends a running watch with its next read after %s', async (_, set, code) => {
    const key = await world.key('basic');
    const startedAt = world.watchTime.now();
    const watched = resultOf(await watching(key, { market_ids: [idOf(31)], seconds: 20 }, () => setOrg(key, set)));
    expect(watched.ended).toBe(code);
    // Two reads of half a second each, and not 20 s.
    expect(world.watchTime.now() - startedAt).toBeLessThan(5_000);
  });

  test('does not end a running watch when the window becomes full', async () => {
    const key = await world.key('basic');
    const watched = resultOf(
      await watching(key, { market_ids: [idOf(31)] }, () => setOrg(key, 'account.usage set window_used = 600')),
    );
    expect(watched.ended).toBeNull();
  });
});

test('the role of the API may read the publication log through its SQL functions only', async () => {
  for (const table of ['publications', 'channels', 'published_markets', 'sample_markets', 'entitlements']) {
    await expect(world.api.pool.query(`select from stream.${table}`)).rejects.toThrow(/permission denied/);
  }
  await expect(world.api.pool.query(`select * from stream.replay_publications('markets:all', 'x', 0)`)).rejects.toThrow(
    /permission denied/,
  );
});

describe('a running call of watch_markets', () => {
  test('stops its database queries when the caller disconnects', async () => {
    const queries = vi.spyOn(world.api.pool, 'query');
    const reads = countReads();
    const caller = new AbortController();
    const body = request('tools/call', { name: 'watch_markets', arguments: { market_ids: [idOf(31)], seconds: 30 } });
    const call = fetch(`${world.api.base}/v2/mcp/`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${await world.key('basic')}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
      },
      body,
      signal: caller.signal,
    });
    await waitUntil(() => reads() >= 2, { what: 'two reads' });
    caller.abort();
    await expect(call).rejects.toThrow();
    // One query may have been running.
    const abortedAt = world.watchTime.now();
    await waitUntil(() => world.watchTime.now() - abortedAt > 2_000, { what: 'two seconds of the watch' });
    const before = queries.mock.calls.length;
    await waitUntil(() => world.watchTime.now() - abortedAt > 6_000, { what: 'six seconds of the watch' });
    expect(queries.mock.calls.length).toBe(before);
  });

  test('runs 8 times at once for one organization; a Free key with 60 calls keeps no Pro key out', async () => {
    await world.db.sql`insert into stream.sample_markets (pair_id) values (${uuidOf(32)}) on conflict do nothing`;
    const [free, pro] = [await world.key('free'), await world.key('pro')];
    const reads = countReads();
    const watch = async (key: string, seconds: number) => {
      const call = await callTool(world, key, 'watch_markets', { market_ids: [idOf(32)], seconds });
      return call.message.result as ToolResult;
    };
    world.watchTime.hold();
    let ended = 0;
    const crowd = Promise.all(Array.from({ length: 60 }, () => watch(free, 5).finally(() => (ended += 1))));
    await waitUntil(() => ended === 52 && reads() >= 8, { what: '8 calls of the Free key run' });
    const before = reads();
    const running = watch(pro, 1);
    await waitUntil(() => reads() > before + 16, { what: 'the call of the Pro key runs' });
    world.watchTime.release();
    const ofPro = await running;
    const over = (await crowd).filter((result) => result.isError);
    expect(ofPro.isError).toBeUndefined();
    expect(over).toHaveLength(52);
    for (const result of over) {
      expect(result._meta?.['parallax/error']).toMatchObject({ code: 'watch.limit', retry_after: 1 });
      expect(result.content[0]?.text).toContain('[watch.limit]');
    }
  });

  test('gets admission.full with retry_after when the places are used, and one more organization still runs', async () => {
    const watch = async (key: string, seconds: number) => {
      const call = await callTool(world, key, 'watch_markets', { market_ids: [idOf(31)], seconds });
      return call.message.result as ToolResult;
    };
    const keys = await Promise.all(Array.from({ length: 5 }, () => world.key('basic')));
    const one = await world.key('basic');
    const reads = countReads();
    world.watchTime.hold();
    const crowd = Promise.all(keys.flatMap((key) => Array.from({ length: 8 }, () => watch(key, 6))));
    await waitUntil(() => reads() >= 80, { what: 'the calls run' });
    const running = watch(one, 1);
    const before = reads();
    await waitUntil(() => reads() > before + 80, { what: 'all calls have read again' });
    world.watchTime.release();
    const more = await running;
    const over = (await crowd).filter((result) => result.isError);
    expect(more.isError).toBeUndefined();
    expect(over.length).toBeGreaterThanOrEqual(1);
    for (const result of over) {
      expect(result._meta?.['parallax/error']).toMatchObject({ code: 'admission.full', retry_after: 1 });
    }
  });

  test('streams its progress with the rate limits in the headers', async () => {
    world.watchTime.hold();
    const params = {
      name: 'watch_markets',
      arguments: { market_ids: [idOf(31)], seconds: 3 },
      _meta: { progressToken: 'p' },
    };
    const answer = await post(world, await world.key('pro'), request('tools/call', params));
    expect([answer.status, answer.headers.get('Content-Type')]).toEqual([200, 'text/event-stream']);
    expect(answer.headers.get('RateLimit')).toMatch(/"window";r=1499/);
    const methods: string[] = [];
    const decoder = new TextDecoder();
    for await (const chunk of answer.body ?? []) {
      for (const [, json = '{}'] of decoder.decode(chunk as Uint8Array).matchAll(/^data: (\{.*\})$/gm)) {
        const message = JSON.parse(json) as { method?: string; params?: { progressToken: string } };
        methods.push(message.method ?? 'result');
        if (message.params) expect(message.params.progressToken).toBe('p');
        // The first progress message comes before the first second of the watch has passed.
        world.watchTime.release();
      }
    }
    expect(methods.at(-1)).toBe('result');
    expect(methods.filter((method) => method === 'notifications/progress').length).toBeGreaterThanOrEqual(3);
  });

  test('with mode ticket returns the response of POST /v1/stream/token', async () => {
    const key = await world.key('pro');
    const rest = await fetch(`${world.api.base}/v1/stream/token`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}` },
    });
    const { message } = await callTool(world, key, 'watch_markets', { mode: 'ticket' });
    const result = message.result as ToolResult;
    if (rest.ok) {
      expect(Object.keys(result.structuredContent ?? {})).toEqual(Object.keys(await rest.json()));
      expect(result.structuredContent).toMatchObject({ ticket: expect.any(String), ws_url: expect.any(String) });
    } else expect(result._meta?.['parallax/error']?.code).toBe('route.not_found');
  });
});
