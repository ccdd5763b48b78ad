import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { WatchResult } from '../../functions/api/mcp/watch.ts';
import { changePair, putFrame, putPair } from '../api/support/catalog.ts';
import type { World } from '../api/support/fixture.ts';
import { said } from '../stream/published_frames.ts';
import { pause, waitUntil } from '../support/wait_until.ts';
import { callTool, post, request, type ToolResult } from './support/post.ts';
import { idOf, makeAgentWorld, uuidOf } from './support/fixture.ts';

let world: World;
beforeAll(async () => {
  world = await makeAgentWorld();
  await putPair(world.db.sql, { n: 31, confirmed: true });
  await putPair(world.db.sql, { n: 32, confirmed: true });
  await price(31);
  await price(32);
  await price(9);
  // The first message loads the SDK; after it, what happens while one listens happens while one listens.
  await callTool(world, await world.key(), 'list_categories', {});
});
afterAll(() => world.close());
afterEach(() => vi.restoreAllMocks());

let minute = 0;
/** A new price of a market, later than any before and later than what REST shows. */
async function price(n: number): Promise<void> {
  minute++;
  const at = new Date(Date.UTC(2026, 10, 20, 11, 59, 0, minute)).toISOString();
  await putFrame(world.db.sql, n, { at, ask_a: [400_000 + 100 * minute, 590_000], ask_b: [450_000, 560_000] });
}

/** Counts the looks at the log that running calls have begun. */
function countLooks(): () => number {
  const queries = vi.spyOn(world.api.pool, 'query').mock.calls;
  return () => queries.filter(([text]) => String(text).includes('api.continue_market_watch(')).length;
}
const setOrg = (key: string, set: string) =>
  world.db.sql.unsafe(
    `update ${set} where org_id = (select k.org_id from account.keys k where k.hash = account.key_hash('${key}'))`,
  );

/** Calls watch_markets and does something meanwhile. */
async function watching(
  key: string,
  args: object,
  meanwhile: (looks: () => number) => Promise<unknown> = async () => {},
): Promise<ToolResult> {
  const looks = countLooks();
  const before = looks();
  let isOver = false;
  const call = callTool(world, key, 'watch_markets', { seconds: 2, ...args }).finally(() => {
    isOver = true;
  });
  await waitUntil(() => isOver || looks() > before, { what: 'the first look, or a refusal' });
  await meanwhile(looks);
  return (await call).message.result as ToolResult;
}
const heard = (result: ToolResult) => result.structuredContent as unknown as WatchResult;

describe('what is heard', () => {
  test('is what the log says of these markets while one listens, and nothing of others', async () => {
    const { sql } = world.db;
    const [{ top } = { top: '0' }] = await sql<
      { top: string }[]
    >`select last_offset as top from stream.channels where channel = 'markets:all'`;
    const result = await watching(await world.key('basic'), { market_ids: [idOf(31), uuidOf(32)] }, async () => {
      await price(31);
      await price(1);
      await price(32);
      await price(31);
      // Nor does a title that looks like another market's frame mislead.
      await changePair(sql, 31, { title: `Renamed","id":"${idOf(1)}","market_id":"${idOf(1)}` });
      await changePair(sql, 1, { title: `x","id":"${idOf(31)}` });
      await sql`select stream.publish_changes(stream.unpublished_pairs())`;
    });
    const watched = heard(result);
    const logged = (await said(sql, 'markets:all', Number(top))).filter(
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

  test('begins with prices as they stand now, not two minutes ago', async () => {
    const key = await world.key('basic');
    await price(31);
    const { now } = heard(await watching(key, { market_ids: [idOf(31)], seconds: 1 }));
    const rest = await (await world.get(`/v2/pairs/${idOf(31)}`, key)).json();
    expect(now).toHaveLength(1);
    expect(JSON.stringify(now[0])).toMatch(/^\{"type":"price","id":"mkt_/);
    expect((now[0]?.priced_at as string) > rest.priced_at || rest.outcomes.length === 0).toBe(true);
  });

  test('tells of opportunities and of status', async () => {
    const { sql } = world.db;
    const result = await watching(await world.key('basic'), { market_ids: [idOf(21)] }, async () => {
      await changePair(sql, 21, { status: 'live' });
      await sql`select stream.publish_changes(stream.unpublished_pairs())`;
    });
    const { frames } = heard(result);
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
    // The text alone names each risk as well.
    const { risks } = (updated[0]?.opportunity ?? { risks: [] }) as { risks: { event: string; severity: string }[] };
    const named = risks.map(({ event, severity }) => `${event} (${severity})`).join(', ');
    expect(result.content[0]?.text).toContain(`risks: ${named}`);
  });

  test('is the newest of it where there was more than asked for, and says how much is left out', async () => {
    const watched = heard(
      await watching(await world.key('basic'), { market_ids: [idOf(31)], limit: 2 }, async () => {
        for (let i = 0; i < 5; i++) await price(31);
      }),
    );
    const last = (await said(world.db.sql, 'markets:all'))
      .filter((frame) => frame.type === 'price' && frame.id === idOf(31))
      .slice(-2);
    expect([watched.frames, watched.omitted]).toEqual([last, 3]);
  });

  test('has a gap that it tells of where the log was begun anew', async () => {
    const watched = heard(
      await watching(await world.key('basic'), { market_ids: [idOf(31)] }, async (looks) => {
        await world.db.sql`select stream.reset_channel('markets:all')`;
        // The look that may be under way, and one after it.
        const before = looks();
        await waitUntil(() => looks() > before + 1, { what: 'a look at the new log', everyMs: 10 });
        await price(31);
      }),
    );
    expect([watched.lost, watched.frames.length]).toEqual([true, 1]);
  });
});

describe('who hears what', () => {
  test('Free hears the sample alone, and is told which markets it does not hear', async () => {
    const { sql } = world.db;
    const key = await world.key('free');
    const refused = await watching(key, { market_ids: [idOf(31)], seconds: 1 });
    expect([refused.isError, refused._meta?.['parallax/error']?.code]).toEqual([true, 'stream.tier']);
    await sql`insert into stream.sample_markets (pair_id) values (${uuidOf(32)}) on conflict do nothing`;
    const watched = heard(
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

  test('candidates are for Pro', async () => {
    const basic = await watching(await world.key('basic'), { market_ids: [idOf(9)], seconds: 1 });
    expect(basic._meta?.['parallax/error']?.code).toBe('stream.tier');
    const pro = heard(await watching(await world.key('pro'), { market_ids: [idOf(9)] }, () => price(9)));
    expect(pro.frames.map((frame) => frame.type)).toEqual(['price']);
  });

  test.each([
    ['a revoked key', 'account.keys set revoked_at = clock_timestamp()', 'auth.revoked_key'],
    ['a plan that ended', "account.subscriptions set status = 'inactive'", 'billing.inactive'],
    ['a smaller tier', "account.subscriptions set tier = 'free'", 'stream.tier'],
  ])('%s ends what is running, within a second', async (_, set, code) => {
    const key = await world.key('basic');
    const began = Date.now();
    const watched = heard(await watching(key, { market_ids: [idOf(31)], seconds: 20 }, () => setOrg(key, set)));
    expect(watched.ended).toBe(code);
    expect(Date.now() - began).toBeLessThan(10_000);
  });

  test('a window that is full meanwhile does not: the call was let in', async () => {
    const key = await world.key('basic');
    const watched = heard(
      await watching(key, { market_ids: [idOf(31)] }, () => setOrg(key, 'account.usage set window_used = 600')),
    );
    expect(watched.ended).toBeNull();
  });
});

test('the api function reaches the log through its doors alone', async () => {
  for (const table of ['publications', 'channels', 'told_markets', 'sampled', 'entitlements']) {
    await expect(world.api.pool.query(`select from stream.${table}`)).rejects.toThrow(/permission denied/);
  }
  await expect(world.api.pool.query(`select * from stream.replay_publications('markets:all', 'x', 0)`)).rejects.toThrow(
    /permission denied/,
  );
});

describe('what a call holds', () => {
  test('ends with its caller: nothing is asked of the database for one who is gone', async () => {
    const asked = vi.spyOn(world.api.pool, 'query');
    const looks = countLooks();
    const gone = new AbortController();
    const body = request('tools/call', { name: 'watch_markets', arguments: { market_ids: [idOf(31)], seconds: 30 } });
    const call = fetch(`${world.api.base}/v2/mcp/`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${await world.key('basic')}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
      },
      body,
      signal: gone.signal,
    });
    await waitUntil(() => looks() >= 2, { what: 'two looks' });
    gone.abort();
    await expect(call).rejects.toThrow();
    // One may have been under way.
    await pause(700);
    const then = asked.mock.calls.length;
    await pause(1_500);
    expect(asked.mock.calls.length).toBe(then);
  });

  test('is bounded: past so many at once the next is told to come again, and the others go on', {
    timeout: 60_000,
  }, async () => {
    const key = await world.key('pro');
    const calls = await Promise.all(
      Array.from({ length: 45 }, () => callTool(world, key, 'watch_markets', { market_ids: [idOf(31)], seconds: 3 })),
    );
    const results = calls.map(({ message }) => message.result as ToolResult);
    const full = results.filter((result) => result.isError);
    expect(full).toHaveLength(5);
    for (const result of full)
      expect(result._meta?.['parallax/error']).toMatchObject({ code: 'admission.full', retry_after: 1 });
  });

  test('streams its progress while it runs, with the limits in its headers', async () => {
    const began = Date.now();
    const params = {
      name: 'watch_markets',
      arguments: { market_ids: [idOf(31)], seconds: 3 },
      _meta: { progressToken: 'p' },
    };
    const answer = await post(world, await world.key('pro'), request('tools/call', params));
    expect([answer.status, answer.headers.get('Content-Type')]).toEqual([200, 'text/event-stream']);
    expect(answer.headers.get('RateLimit')).toMatch(/"window";r=1499/);
    const times: [string, number][] = [];
    const decoder = new TextDecoder();
    for await (const chunk of answer.body ?? []) {
      for (const [, json = '{}'] of decoder.decode(chunk as Uint8Array).matchAll(/^data: (\{.*\})$/gm)) {
        const message = JSON.parse(json) as { method?: string; params?: { progressToken: string } };
        times.push([message.method ?? 'result', Date.now() - began]);
        if (message.params) expect(message.params.progressToken).toBe('p');
      }
    }
    expect(times.at(-1)?.[0]).toBe('result');
    expect(times.filter(([method]) => method === 'notifications/progress').length).toBeGreaterThanOrEqual(3);
    // The first came well before the end, not with it.
    expect((times.at(-1)?.[1] ?? 0) - (times[0]?.[1] ?? 0)).toBeGreaterThan(1_500);
  });

  test('of a ticket is the ticket route’s own answer, or says that there is none yet', async () => {
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
