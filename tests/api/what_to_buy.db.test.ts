import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { flush, opportunity } from '../arb/fixture.ts';
import { callTool, type ToolResult } from '../mcp/support/post.ts';
import { publishedFrames } from '../stream/published_frames.ts';
import type { Frame } from '../support/replayed_state.ts';
import { idOf, nameContract, putPair, putUpdate } from './support/catalog.ts';
import { type ApiFixture, createApiFixture } from './support/fixture.ts';

// The instruction of a leg over REST, stream and MCP, for a YES leg and a NO leg on venue_a and a
// token of venue_b, and the books of their contracts. tests/live/legs.system.test.ts checks the
// page.

const houston = 'KXNCAABGAME-26NOV20KUHOU-HOU';
const total = 'KXMLBTOTAL-26NOV20COLLAA-9';
const token = '71235456789012345678901234567890123456789012345678901234567890123456789014567';
const at = '2026-11-20T11:57:30.000Z';

let world: ApiFixture;
let key: string;
beforeAll(async () => {
  world = await createApiFixture();
  key = await world.key();
  const { sql } = world.db;
  await putPair(sql, {
    n: 31,
    confirmed: true,
    sport: 'football',
    title: 'Kansas vs Houston',
    outcomes: [
      { key: 'kansas', name: 'Kansas', a: 'KXNCAABGAME-26NOV20KUHOU-KU', b: '3100' },
      { key: 'houston', name: 'Houston', a: houston, b: token },
    ],
  });
  await putPair(sql, {
    n: 32,
    confirmed: true,
    sport: 'football',
    market_type: 'total',
    line: 8.5,
    title: 'Colorado Rockies vs Los Angeles Angels: total 8.5 runs',
    outcomes: [
      { key: 'over', name: 'Over 8.5', a: total, b: '3200' },
      { key: 'under', name: 'Under 8.5', a: total, side: 'no', b: '3201' },
    ],
  });
  await nameContract(sql, 'venue_a', houston, 'Houston', 'Kansas at Houston Winner?');
  await nameContract(sql, 'venue_b', token, 'Houston', 'Kansas vs. Houston');
  await nameContract(sql, 'venue_a', total, 'Over 8.5 runs scored');
  await nameContract(sql, 'venue_b', '3201', 'No', 'Will there be 9 or more runs?');
  await flush(sql, 31, [
    {
      at,
      opp: opportunity(31, [
        { key: 'kansas', venue: 'venue_a', side: 'no', contract: houston, ask: 740_000, fee: 13_500 },
        { key: 'houston', venue: 'venue_b', contract: token, ask: 220_000, fee: 8_600 },
      ]),
    },
  ]);
  await putUpdate(sql, 32, {
    at,
    opp: opportunity(32, [
      { key: 'over', venue: 'venue_a', contract: total, ask: 450_000, fee: 17_400 },
      { key: 'under', venue: 'venue_b', contract: '3201', ask: 500_000, fee: 12_500 },
    ]),
    // One contract: YES bid 0.55 x 300 and ask 0.58 x 120, so NO has ask 0.45 and bid 0.42.
    ...{ ask_a: [580_000, 450_000], bid_a: [550_000, 420_000], size_a: [12_000, 30_000], bid_size_a: [30_000, 12_000] },
    ...{ ask_b: [570_000, 460_000], bid_b: [540_000, null], size_b: [100, 250], bid_size_b: [725, null] },
  });
});
afterAll(() => world.close());

const instructions = {
  no: 'Buy NO on KXNCAABGAME-26NOV20KUHOU-HOU (Houston). Pays $1 if Kansas wins',
  token: 'Buy Houston on "Kansas vs. Houston" (token 71235456…4567). Pays $1 if Houston wins',
  yes: 'Buy YES on KXMLBTOTAL-26NOV20COLLAA-9 (Over 8.5 runs scored). Pays $1 if the total is over 8.5',
  answer: 'Buy NO on "Will there be 9 or more runs?" (token 3201). Pays $1 if the total is under 8.5',
};
type Legs = { legs: { instruction: string }[] };
const sentences = (rows: Legs[]) => rows.flatMap((row) => row.legs.map((leg) => leg.instruction)).sort();

describe('the instruction of a leg', () => {
  test('is in /v2/arbitrage with the id, side and label of the contract and the outcome that pays', async () => {
    const { opportunities } = (await (await world.get('/v2/arbitrage?sport=football', key)).json()) as {
      opportunities: (Legs & { market_id: string })[];
    };
    expect(opportunities.find((one) => one.market_id === idOf(31))?.legs).toMatchObject([
      { outcome: 'kansas', side: 'no', contract_id: houston, contract_label: 'Houston', instruction: instructions.no },
      {
        outcome: 'houston',
        side: null,
        contract_id: token,
        contract_label: 'Kansas vs. Houston: Houston',
        instruction: instructions.token,
      },
    ]);
    expect(opportunities.find((one) => one.market_id === idOf(32))?.legs).toMatchObject([
      { outcome: 'over', side: 'yes', contract_id: total, contract_label: 'Over 8.5 runs scored' },
      { outcome: 'under', side: null, contract_id: '3201', contract_label: 'Will there be 9 or more runs? No' },
    ]);
    expect(sentences(opportunities)).toEqual(Object.values(instructions).sort());
  });

  test('is in the opportunity frames of the stream', async () => {
    const frames = await publishedFrames(world.db.sql, 'markets:all');
    const opened = frames.flatMap((frame) =>
      frame.type === 'opportunity' && frame.state === 'opened' ? [frame.opportunity] : [],
    );
    expect(sentences(opened as unknown as Legs[])).toEqual(Object.values(instructions).sort());
  });

  test('is fenced in the text of find_arbitrage, which also names each contract and side outside of the fence', async () => {
    const { message } = await callTool(world, key, 'find_arbitrage', { sport: 'football' });
    const text = (message.result as ToolResult).content[0]?.text ?? '';
    const [outside = '', fence = ''] = text.split('Text from the venues follows');
    expect(outside).toContain(`buy NO on ${houston} (venue_a) at .74, pays on kansas`);
    expect(outside).toContain(`token ${token} (venue_b) at .22, pays on houston`);
    expect(outside).toContain(`YES on ${total} (venue_a) at .45, pays on over`);
    expect(outside).toContain('token 3201 (venue_b) at .5, pays on under');
    for (const sentence of Object.values(instructions)) expect(fence).toContain(sentence);
  });
});

describe('the book of a contract that prices two outcomes', () => {
  const yes = { ask: 0.58, bid: 0.55, depth: 120, bid_depth: 300, ticker: total, side: 'yes' };
  const no = { ask: 0.45, bid: 0.42, depth: 300, bid_depth: 120, ticker: total, side: 'no' };
  type Row = { key: string; venue_a: number; venue_a_book?: object; venue_b_book?: object };

  test('has the YES side for one outcome and the NO side for the other, with `side`', async () => {
    const { outcomes } = (await (await world.get(`/v2/pairs/${idOf(32)}?include=depth`, key)).json()) as {
      outcomes: Row[];
    };
    expect(outcomes).toMatchObject([
      {
        key: 'over',
        venue_a: 0.58,
        venue_a_book: yes,
        venue_b_book: { ask: 0.57, bid: 0.54, depth: 1, bid_depth: 7.25, token_id: '3200' },
      },
      {
        key: 'under',
        venue_a: 0.45,
        venue_a_book: no,
        venue_b_book: { ask: 0.46, bid: null, depth: 2.5, bid_depth: null, token_id: '3201' },
      },
    ]);
  });

  test('has its side in each price frame, and null without a venue_a contract', async () => {
    const prices = (await publishedFrames(world.db.sql, 'markets:all')).filter(
      (frame): frame is Frame & { type: 'price' } => frame.type === 'price' && frame.id === idOf(32),
    );
    expect(prices.at(-1)?.outcomes).toEqual([
      { key: 'over', venue_a: 0.58, venue_b: 0.57, side: 'yes' },
      { key: 'under', venue_a: 0.45, venue_b: 0.46, side: 'no' },
    ]);
    const { sql } = world.db;
    await putPair(sql, { n: 33, outcomes: [{ key: 'band', a: null, relation: 'OVERLAPS' }] });
    await putUpdate(sql, 33, { at, ask_a: [null], ask_b: [300_000] });
    const frames = await publishedFrames(sql, 'markets:all');
    expect(frames.find((frame) => frame.type === 'price' && frame.id === idOf(33))).toMatchObject({
      outcomes: [{ key: 'band', venue_a: null, venue_b: 0.3, side: null }],
    });
  });

  test('is updated when only the size of a bid changes', async () => {
    const { sql } = world.db;
    const moved = { at: '2026-11-20T11:57:40.000Z', ask_a: [580_000, 450_000], ask_b: [570_000, 460_000] };
    expect(await putUpdate(sql, 32, { ...moved, bid_size_a: [500, 100] })).toBe(1);
    expect(await putUpdate(sql, 32, { ...moved, bid_size_a: [500, 100] })).toBe(0);
    expect(await putUpdate(sql, 32, { ...moved, bid_size_a: [600, 100] })).toBe(1);
    expect(await putUpdate(sql, 32, { ...moved, bid_size_a: [600, 100], bid_size_b: [1, 1] })).toBe(1);
  });
});
