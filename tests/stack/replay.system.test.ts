import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { type RunningStack, startStack } from '../support/stack.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';
import { waitUntil } from '../support/wait_until.ts';
import { fetchAllMarkets } from './simulator.ts';

// Replays the real listings of both venues of 14 April 2026 with `npm start -- --replay`. The books
// of that day were not recorded. The test makes them in the recorded wire formats, so that it knows
// each expected price.

const RECORDING_FOLDER = join(repository, '../shared/data/labels/games-2026-04-14');
const isRecordingPresent = existsSync(RECORDING_FOLDER);
if (!isRecordingPresent)
  process.stdout.write('skipped: the replay of recorded listings (../shared/data is not here)\n');

const STARTED_AT = Date.parse('2026-04-14T15:00:00Z');
const SECONDS = 40;

type Truth = {
  label: string;
  grain: string;
  family: string;
  venue_a: { event_ticker: string; ticker: string; side: string };
  venue_b: { event_slug: string; condition_id: string; token_id: string };
};
type Leg = { ticker: string; token: string; condition: string; askA: number; askB: number };

/** The legs of the labelled MLB, NHL and NBA games by event, with their last asks in cents. */
function readGames(): Map<string, { slug: string; legs: Leg[] }> {
  const games = new Map<string, { slug: string; legs: Leg[] }>();
  const rows = readFileSync(join(RECORDING_FOLDER, 'truth.jsonl'), 'utf8').trim().split('\n');
  for (const truth of rows.map((line) => JSON.parse(line) as Truth)) {
    if (truth.label !== 'same' || truth.grain !== 'market') continue;
    if (!/^KX(MLB|NHL|NBA)GAME-/.test(truth.venue_a.ticker)) continue;
    const game = games.get(truth.venue_a.event_ticker) ?? { slug: truth.venue_b.event_slug, legs: [] };
    const n = games.size * 2 + game.legs.length;
    game.legs.push({
      ticker: truth.venue_a.ticker,
      token: truth.venue_b.token_id,
      condition: truth.venue_b.condition_id,
      askA: 30 + ((n * 7) % 40),
      askB: 31 + ((n * 11) % 40),
    });
    games.set(truth.venue_a.event_ticker, game);
  }
  return games;
}

const cents = (value: number) => (value / 100).toFixed(4);

/** The messages of one leg: a first book, and then steps that lead to the last asks. */
function messagesOf(leg: Leg, seq: () => number): { at: number; venue: string; message: unknown }[] {
  const start = { a: leg.askA + 10, b: leg.askB + 10 };
  const rows: { at: number; venue: string; message: unknown }[] = [
    {
      at: STARTED_AT,
      venue: 'venue_a',
      message: {
        type: 'orderbook_snapshot',
        sid: 1,
        seq: seq(),
        msg: {
          market_ticker: leg.ticker,
          market_id: leg.ticker,
          yes_dollars_fp: [
            ['0.0100', '500.00'],
            [cents(leg.askA - 3), '40.00'],
          ],
          no_dollars_fp: [
            ['0.0200', '700.00'],
            [cents(100 - start.a), '55.50'],
          ],
        },
      },
    },
    {
      at: STARTED_AT,
      venue: 'venue_b',
      message: [
        {
          event_type: 'book',
          asset_id: leg.token,
          market: leg.condition,
          timestamp: String(STARTED_AT),
          hash: `h${leg.token.slice(0, 12)}0`,
          bids: [{ price: '0.01', size: '900' }],
          asks: [
            { price: '0.99', size: '900' },
            { price: (start.b / 100).toString(), size: '120.5' },
          ],
        },
      ],
    },
  ];
  for (let step = 1; step <= 10; step += 1) {
    const at = STARTED_AT + step * 3000 + 137;
    rows.push({
      at,
      venue: 'venue_a',
      message: {
        type: 'orderbook_delta',
        sid: 1,
        seq: seq(),
        msg: {
          market_ticker: leg.ticker,
          market_id: leg.ticker,
          price_dollars: cents(100 - (start.a - step)),
          delta_fp: '10.25',
          side: 'no',
          ts_ms: at,
        },
      },
    });
    rows.push({
      at,
      venue: 'venue_b',
      message: {
        event_type: 'price_change',
        market: leg.condition,
        timestamp: String(at),
        price_changes: [
          {
            asset_id: leg.token,
            price: ((start.b - step) / 100).toString(),
            size: '77.7',
            side: 'SELL',
            hash: `h${leg.token.slice(0, 12)}${step}`,
            best_bid: '0.01',
            best_ask: ((start.b - step) / 100).toString(),
          },
        ],
      },
    });
  }
  return rows;
}

describe.skipIf(!isRecordingPresent)('a replay of the listings of both venues', () => {
  let stack: RunningStack;
  let key: string;
  const folder = temporaryFolder('recording');
  const games = isRecordingPresent ? readGames() : new Map<string, { slug: string; legs: Leg[] }>();

  beforeAll(async () => {
    for (const name of ['listings.venue_a.json', 'listings.venue_b.json'])
      copyFileSync(join(RECORDING_FOLDER, name), join(folder, name));
    let last = 0;
    const seq = () => (last += 1);
    const lines = [...games.values()]
      .flatMap((game) => game.legs.flatMap((leg) => messagesOf(leg, seq)))
      .sort((one, other) => one.at - other.at)
      .map((row) => JSON.stringify({ ...row, at: new Date(row.at).toISOString() }));
    lines.push(
      JSON.stringify({ at: new Date(STARTED_AT + SECONDS * 1000).toISOString(), venue: 'venue_b', message: 'PONG' }),
    );
    writeFileSync(join(folder, 'books.jsonl'), `${lines.join('\n')}\n`);
    stack = await startStack({ args: ['--replay', folder, '--speed', '4'], env: { REST_DELAY_SECONDS: '10' } });
    key = await stack.key('pro');
  }, 150_000);
  afterAll(async () => {
    await stack?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('reports that its data is a recording', async () => {
    const health = (await (await fetch(`${stack.baseUrl}/health`)).json()) as {
      venues: { venue_a: { source: string } };
    };
    expect(health.venues.venue_a.source).toBe('replay');
    expect(stack.lines.join('\n')).toMatch(/recording/);
  });

  it('pairs the games of that day correctly and ends with the last prices and times of the recording', async () => {
    const end = STARTED_AT + SECONDS * 1000;
    await waitUntil(
      async () => {
        const [row] = await stack.sql<{ step: Date }[]>`select pipeline.refresh_snapshot() as step`;
        return (row?.step.getTime() ?? 0) >= end;
      },
      { what: 'the snapshot reaches the end of the recording', timeoutMs: 60_000 },
    );
    // The recorded listings have no rules, so their settlement is unknown and all pairs are
    // candidates.
    const { markets } = await fetchAllMarkets(stack, key, '&signal=candidates');
    const byEvent = new Map(markets.map((market) => [market.venues.venue_a.event_ticker, market]));
    const missed = [...games.keys()].filter((ticker) => !byEvent.has(ticker));
    expect(missed).toEqual([]);
    for (const [ticker, game] of games) {
      const market = byEvent.get(ticker);
      expect(market?.venues.venue_b.slug).toBe(game.slug);
      const served = market?.outcomes.map((outcome) => ({
        ticker: outcome.venue_a_book?.ticker,
        token: outcome.venue_b_book?.token_id,
        askA: outcome.venue_a,
        askB: outcome.venue_b,
      }));
      const expected = game.legs.map((leg) => ({
        ticker: leg.ticker,
        token: leg.token,
        askA: leg.askA / 100,
        askB: leg.askB / 100,
      }));
      const order = (one: { ticker?: string | undefined }, other: { ticker?: string | undefined }) =>
        (one.ticker ?? '').localeCompare(other.ticker ?? '');
      expect(served?.sort(order), ticker).toEqual(expected.sort(order));
      const pricedAt = Date.parse(market?.priced_at ?? '');
      expect(pricedAt).toBeGreaterThanOrEqual(STARTED_AT + 30_000);
      expect(pricedAt).toBeLessThanOrEqual(end);
    }
  }, 90_000);
});
