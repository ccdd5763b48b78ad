import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ParallaxError } from '../../client/src/errors.ts';
import type { Change, LiveChannel } from '../../client/src/live_channel.ts';
import { Parallax } from '../../client/src/parallax.ts';
import { streamSettingsOf } from '../../functions/api/stream_token.ts';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { databaseUrl } from '../../local/platform/postgres/postgres.ts';
import { holdShardLeases, putLegFee, putUpdates } from '../api/support/catalog.ts';
import { type RunningApi, serveApi } from '../api/support/server.ts';
import { good } from '../arb/fixture.ts';
import { putPairs } from '../stream/fixture.ts';
import { type Isolate, type StreamFixture, startStream } from '../stream/function/fixture.ts';
import { createKey } from '../stream/function/minted.ts';
import { expectedState } from '../stream/truth.ts';
import { type ChannelState, ReplayedState } from '../support/replayed_state.ts';
import { waitUntil } from '../support/wait_until.ts';

// The client package over the real API, the real stream process and Realtime.

const pairs = 20;
let fixture: StreamFixture;
let isolate: Isolate;
let api: RunningApi;
beforeAll(async () => {
  fixture = await startStream();
  isolate = await fixture.startIsolate();
  const { scratch } = fixture.realtime;
  await scratch.admin.unsafe(`alter role parallax_api login password '${scratch.password}'`);
  const url = databaseUrl(scratch.cluster.port, 'parallax_api', scratch.password, 'realtime_test');
  api = await serveApi(url, { stream: streamSettingsOf((name) => (name === 'STREAM_URL' ? isolate.url : undefined)) });
  await holdShardLeases(fixture.sql);
  await putPairs(fixture.sql, pairs);
  for (let n = 1; n <= pairs; n += 1) {
    for (const ordinal of [0, 1]) await putLegFee(fixture.sql, n, ordinal, 'venue_b', { model: 'rate', rate: '0.05' });
  }
}, 90_000);
afterAll(async () => {
  await api?.close();
  await fixture?.stop();
});

const parallaxOf = (key: string) => new Parallax({ key, baseUrl: api.base });

/** Prices of one flush, as ingest writes them. */
async function write(round: number): Promise<void> {
  const frames = Array.from({ length: 6 }, (_, i) => {
    const n = 1 + ((round * 6 + i) % pairs);
    const at = new Date().toISOString();
    const ask = 300_000 + ((round * 11 + i * 5) % 40) * 10_000;
    const asks = [ask, 990_000 - ask];
    const sizes = [100, 100 + round];
    const opp = (round + i) % 5 === 0 ? good(n, 1_000 + round) : null;
    if ((round + i) % 17 === 0) return [n, { at, void: 'feed.silent', opp: null }] as const;
    return [n, { at, ask_a: asks, ask_b: [...asks].reverse(), size_a: sizes, size_b: sizes, opp }] as const;
  });
  await putUpdates(fixture.sql, frames);
  await fixture.sql`select stream.broadcast_pending()`;
}

/** Publishes best quotes as ingest does once a second. */
async function publishBest(): Promise<void> {
  await fixture.sql`update stream.best_state set compared_at = '-infinity'`;
  await fixture.sql`select stream.publish_best()`;
}

async function channelState(channel: string): Promise<{ epoch: string; offset: number; best: { id: string }[] }> {
  const [row] = await fixture.sql<{ state: { epoch: string; offset: number; best: { id: string }[] } }[]>`
    select stream.channel_state_of(${channel}) as state`;
  if (!row) throw new Error(`no channel ${channel}`);
  return row.state;
}

/** Collects the changes until the channel ends. Resolves with the error that ended it. */
async function collect(live: LiveChannel, changes: Change[]): Promise<unknown> {
  try {
    for await (const change of live) changes.push(change);
    return null;
  } catch (error) {
    return error;
  }
}

/** Waits until the client has the last frame of its channel. */
async function untilLastFrame(live: LiveChannel): Promise<void> {
  const [last] = await fixture.sql<{ epoch: string; offset: number }[]>`
    select epoch, last_offset::integer as offset from stream.channels where channel = ${live.channel}`;
  await waitUntil(() => JSON.stringify(live.state.position(live.channel)) === JSON.stringify(last), {
    what: 'the client has the last frame',
    timeoutMs: 30_000,
  });
}

const rowsOf = (live: LiveChannel): ChannelState =>
  ({
    offset: 0,
    markets: [...live.state.markets.values()],
    opportunities: [...live.state.opportunities.values()],
  }) as unknown as ChannelState;

describe('a live channel of the client', () => {
  test('starts in the middle, and equals the database after kills of the stream process and a new log', async () => {
    const { key } = await createKey(fixture.sql, 'basic');
    for (let round = 0; round < 10; round += 1) await write(round);
    const opening = parallaxOf(key).live();
    for (let round = 10; round < 20; round += 1) await write(round);
    const live = await opening;
    const changes: Change[] = [];
    const ended = collect(live, changes);
    expect([live.channel, live.state.markets.size > pairs / 2]).toEqual(['markets:all', true]);
    for (let round = 20; round < 60; round += 1) {
      await write(round);
      if (round === 30 || round === 40) {
        await isolate.kill(round === 30 ? 'SIGKILL' : 'SIGTERM');
        await isolate.restart();
        // A slow client would otherwise miss all frames until the new log.
        await untilLastFrame(live);
      }
    }
    // A new log has another epoch: the client reads the whole state again.
    await fixture.sql`select stream.reset_channel('markets:all')`;
    await write(60);
    await untilLastFrame(live);
    const expected = await expectedState(fixture.sql, 'markets:all');
    expect(new ReplayedState(rowsOf(live)).state()).toEqual(expected);
    expect([expected.markets.length > pairs / 2, expected.opportunities.length > 0]).toEqual([true, true]);
    expect(changes.filter(({ type }) => type === 'state').length).toBeGreaterThanOrEqual(2);
    expect(changes.filter(({ type }) => type === 'price').length).toBeGreaterThan(100);
    live.close();
    expect([await ended, live.isConnected]).toEqual([null, false]);
  }, 90_000);

  test('holds the best quotes of best:all, from its state and the frames after it', async () => {
    const { key } = await createKey(fixture.sql, 'pro');
    await write(70);
    await publishBest();
    const live = await parallaxOf(key).live({ channel: 'best:all' });
    const changes: Change[] = [];
    const ended = collect(live, changes);
    for (let round = 71; round < 81; round += 1) {
      await write(round);
      await publishBest();
    }
    await untilLastFrame(live);
    const { best } = await channelState('best:all');
    expect([...live.state.best.values()].sort((a, b) => (a.id < b.id ? -1 : 1))).toEqual(best);
    expect([best.length > pairs / 2, live.state.markets.size]).toEqual([true, 0]);
    expect(changes.filter(({ type }) => type === 'best').length).toBeGreaterThan(20);
    live.close();
    expect(await ended).toBeNull();
  }, 60_000);

  test('ends with the code of the service when the key is revoked, and does not open without the plan', async () => {
    const { key, orgId } = await createKey(fixture.sql, 'basic');
    const ended = collect(await parallaxOf(key).live(), []);
    await fixture.sql`update account.keys set revoked_at = now() where org_id = ${orgId}`;
    await isolate.kill('SIGKILL');
    await isolate.restart();
    const error = await ended;
    expect(error).toBeInstanceOf(ParallaxError);
    expect(error).toMatchObject({ status: 401, code: 'auth.revoked_key' });
    const free = await createKey(fixture.sql, 'free');
    await expect(parallaxOf(free.key).live({ channel: 'quotes:all' })).rejects.toMatchObject({
      code: 'channel.not_found',
    });
    await expect(parallaxOf('sk_live_nonsense').live()).rejects.toMatchObject({ code: 'auth.malformed_key' });
  }, 60_000);
});

/**
 * Loads the file alone, because the package needs packages of PyPI. The first half of the frames
 * arrives before the state.
 */
const APPLY_IN_PYTHON = `
import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("state", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
given, live = json.load(sys.stdin), module.LiveState()
half = len(given["frames"]) // 2
for offset, frame in given["frames"][:half]: live.accept(given["epoch"], offset, frame)
live.reset_to(given["state"])
for offset, frame in given["frames"][half:]: live.accept(given["epoch"], offset, frame)
rows = {"markets": list(live.markets.values()), "opportunities": list(live.opportunities.values())}
rows["best"] = list(live.best.values())
json.dump({**rows, "offset": live.offset, "has_gap": live.has_gap}, sys.stdout)
`;

/** The frames of a channel after an offset, with their offsets. */
async function framesAfter(channel: string, offset: number): Promise<[number, object][]> {
  const log = await fixture.sql<{ offset: number; frame: string }[]>`
    select (p.last_offset - cardinality(p.frames) + f.place)::integer as offset, f.frame
    from stream.publications p
    cross join lateral unnest(p.frames) with ordinality as f (frame, place)
    join stream.channels c on c.channel = p.channel
    where p.channel = ${channel} and p.last_offset > ${offset}
    order by 1`;
  return log.map((one) => [one.offset, JSON.parse(one.frame)]);
}

/** What the Python client holds after a state and these frames. */
function applyInPython(state: { epoch: string }, frames: [number, object][]) {
  const file = join(repository, 'client/python/parallax_client/state.py');
  const run = spawnSync('python3', ['-c', APPLY_IN_PYTHON, file], {
    input: JSON.stringify({ epoch: state.epoch, state, frames }),
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  expect([run.status, run.stderr]).toEqual([0, '']);
  return JSON.parse(run.stdout);
}

test('the state of the Python client equals the database after frames that arrive before and after it', async () => {
  const { key } = await createKey(fixture.sql, 'basic');
  for (let round = 0; round < 10; round += 1) await write(round);
  const { data: state } = await parallaxOf(key).api.GET('/v1/stream/state', {
    params: { query: { channel: 'markets:all' } },
  });
  if (!state) throw new Error('no state');
  for (let round = 10; round < 30; round += 1) await write(round);
  const frames = await framesAfter('markets:all', state.offset - 20);
  const rows = applyInPython(state, frames);
  expect([rows.offset, rows.has_gap, frames.length > 40]).toEqual([frames.at(-1)?.[0], false, true]);
  expect(new ReplayedState(rows).state()).toEqual(await expectedState(fixture.sql, 'markets:all'));
}, 60_000);

test('the Python client holds the best quotes of best:all', async () => {
  await write(90);
  await publishBest();
  const state = await channelState('best:all');
  for (let round = 91; round < 99; round += 1) {
    await write(round);
    await publishBest();
  }
  const rows = applyInPython(state, await framesAfter('best:all', state.offset));
  const after = await channelState('best:all');
  const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
  expect([rows.best.sort(byId), rows.offset, rows.has_gap]).toEqual([after.best, after.offset, false]);
  expect(after.best.length).toBeGreaterThan(pairs / 2);
});
