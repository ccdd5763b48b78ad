import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { putPair, putUpdate } from '../api/support/catalog.ts';
import type { ApiFixture } from '../api/support/fixture.ts';
import { createMcpFixture, idOf, uuidOf } from './support/fixture.ts';
import { callTool, type ToolResult } from './support/post.ts';

/**
 * Guarantee: the text of at most two calls answers each of these questions of a person, with at
 * most 900 tokens.
 */

const MAX_TOKENS = 900;
const at = '2026-11-20T11:57:00.000Z';
/** As arb.instruction shortens it. */
const shortOf = (id: string) => `${id.slice(0, 8)}…${id.slice(-4)}`;
const token = (n: number) => String(n).padEnd(77, '27182818284590452353602874713526');

let world: ApiFixture;
let key: string;
beforeAll(async () => {
  world = await createMcpFixture();
  key = await world.key('basic');
  const { sql } = world.db;
  await sql`
    insert into venue.events (venue, event_id, title, payload, payload_hash, first_seen_at, seen_at, changed_at)
    values ('venue_a', 'E', 'E', '{}', '', now(), now(), now()), ('venue_b', 'E', 'E', '{}', '', now(), now(), now())`;
  for (const [venue, market, fee] of [
    ['venue_a', 'A', { model: 'quadratic', multiplier: '1', maker: false }],
    ['venue_b', 'B', { model: 'rate', rate: '0.02' }],
  ] as const) {
    await sql`
      insert into venue.markets (venue, market_id, event_id, state, fee, payload, payload_hash, seen_at, changed_at)
      values (${venue}, ${market}, 'E', 'trading', ${sql.json(fee)}, '{}', '', now(), now())`;
  }
  await putPair(sql, {
    ...{ n: 80, category: 'economics', sport: null, competition: null, institution: 'Federal Reserve' },
    ...{
      market_type: 'fed_decision',
      band: 'REVIEW',
      title: 'Fed decision in December?',
      event_a: 'KXFEDDECISION-26DEC',
    },
    start_time: '2026-12-16T18:55:00Z',
    risks: [
      ['emergency_decision', 'medium'],
      ['rounding', 'low'],
    ],
    outcomes: [
      { key: 'cut_more_25', name: 'Cut of more than 25 bp', a: 'KXFEDDECISION-26DEC-C26', b: token(81) },
      { key: 'cut_25', name: 'Cut 25 bp', a: 'KXFEDDECISION-26DEC-C25', b: token(82) },
      { key: 'no_change', name: 'No change', a: 'KXFEDDECISION-26DEC-H0', b: token(83) },
      { key: 'hike_25', name: 'Hike 25 bp', a: 'KXFEDDECISION-26DEC-H25', b: token(84) },
      { key: 'hike_more_25', name: 'Hike of more than 25 bp', a: 'KXFEDDECISION-26DEC-H26', b: token(85) },
      { key: 'other', name: 'Other', a: null, b: token(86) },
    ],
  });
  await sql`update catalog.outcomes set market_a = 'A', market_b = 'B' where pair_id = ${uuidOf(80)}`;
  await putUpdate(sql, 80, {
    ...{
      at,
      ask_a: [20_000, 680_000, 310_000, 20_000, 10_000, null],
      ask_b: [16_000, 640_000, 350_000, 8_000, 4_000, 2_000],
    },
    ...{ size_a: [900_000, 1_250_000, 730_000, 100, 100, null], size_b: [50_000, 4_440_000, 2_000_000, 100, 100, 100] },
  });
  // Seven games with a gap over 3 points, with ids as the service makes them.
  for (let n = 90; n < 97; n++) {
    const outcomes = ['Dallas Mavericks', 'Golden State Warriors'].map((name, side) => ({
      ...{
        key: name.toLowerCase().replaceAll(' ', '_'),
        name,
        a: `KXNBAGAME-26NOV20DALGSW${n}-${side}`,
        b: token(n * 10 + side),
      },
    }));
    await putPair(sql, {
      ...{ n, competition: 'NBA', title: `Dallas Mavericks vs Golden State Warriors ${n}`, confirmed: true, outcomes },
      ...{
        start_time: '2026-11-21T03:30:00Z',
        risks: [
          ['postponement_window', 'medium'],
          ['tie_handling', 'low'],
        ],
      },
    });
    await sql`update catalog.outcomes set market_a = 'A', market_b = 'B' where pair_id = ${uuidOf(n)}`;
    const [ask, size] = [400_000 + n * 100, 100_000 + n * 100];
    await putUpdate(sql, n, {
      ...{ at, ask_a: [ask, 620_000], ask_b: [ask + 50_000, 600_000], size_a: [size, 5_000], size_b: [9_000, 8_050] },
    });
  }
  await world.clock.set('2026-11-20T12:00:05Z');
});
afterAll(() => world.close());

/** The texts of an agent's calls, after their tokens were counted. */
async function ask(question: string, calls: [name: string, args: Record<string, unknown>][]): Promise<string[]> {
  expect(calls.length).toBeLessThanOrEqual(2);
  const texts: string[] = [];
  for (const [name, args] of calls) {
    const { message } = await callTool(world, key, name, args);
    const result = message.result as ToolResult;
    expect(result.isError, result.content[0]?.text).toBeUndefined();
    texts.push(result.content[0]?.text ?? '');
  }
  // The ids of the fixture have zeros, which take fewer tokens than the ids of the service.
  const counted = texts.map((text) =>
    text.replace(/00000000-0000-4000-8000-[0-9a-f]{12}/g, '8f14e45f-ceea-467a-9af0-d93b1c7e2a56'),
  );
  const tokens = counted.reduce((sum, text) => sum + countTokens(text), 0);
  console.info(
    counted
      .map((t) =>
        t
          .split('\n')
          .map((l) => `${countTokens(l)} ${l}`)
          .join('\n'),
      )
      .join('\n---\n'),
  );
  console.info(`${question}: ${calls.length} calls, ${tokens} tokens`);
  expect(tokens).toBeLessThanOrEqual(MAX_TOKENS);
  return texts;
}

const expectParts = (text: string | undefined, parts: readonly string[]) => {
  for (const part of parts) expect(text).toContain(part);
};

describe('the text alone suffices', () => {
  test('the question where to lock in profit tonight is answered, with what could go wrong at settlement', async () => {
    const [text] = await ask('lock in profit', [
      ['find_arbitrage', { starts_before: '2026-11-21T10:00:00Z', limit: '3' }],
    ]);
    expectParts(text, ['edge 2.01 pts', 'up to 120 contracts for $117.59, profit $2.41', 'starts 2026-11-21 02:30Z']);
    expectParts(text, [
      'YES on KX-21-home (venue_a) at .45',
      'postponement_window (medium)',
      'Weakest link: Medium risk',
    ]);
    expectParts(text, ['(venue_b) at .5, pays on away', idOf(21), 'Los Angeles Lakers vs Boston Celtics']);
  });

  test('the question how the venues compare on the Fed decision is answered', async () => {
    const [text] = await ask('Fed decision', [['list_markets', { institution: 'fed' }]]);
    expectParts(text, [idOf(80), 'gap 4 pts on cut_25', 'Fed decision in December?', 'starts 2026-12-16 18:55Z']);
    expectParts(text, [
      `cut_25: venue_b .64 x 44400 ($28,416) token ${shortOf(token(82))}; venue_a .68 x 12500 YES KXFEDDECISION`,
    ]);
    expectParts(text, ['no_change .31 x 7300/.35 x 20000', 'hike_25 .02 x 1/.008 x 1', '1 more: get_market']);
    expectParts(text, [
      'worst risk: medium emergency_decision (1 more)',
      'emergency_decision: A decision between the regular',
    ]);
    expect(text).not.toContain('other .002');
  });

  test('the question for an NBA game with a gap over 3 points is answered, with how deep it is', async () => {
    const calls: [string, Record<string, unknown>][] = [
      [
        'list_markets',
        { competition: 'nba', min_gap: '3', starts_after: '2026-11-21T03:00:00Z', status: 'open', limit: '5' },
      ],
    ];
    const [text] = await ask('NBA gap over 3', calls);
    expectParts(text, ['5 markets', 'gap 5 pts on dallas_mavericks', 'x 1093 ($']);
    expectParts(text, ['YES KXNBAGAME-26NOV20DALGSW93-0', `token ${shortOf(token(930))}`, 'edge after fees -']);
    expectParts(text, ['worst risk: medium postponement_window (1 more)', 'starts 2026-11-21 03:30Z']);
  });

  test('the request to watch a market is answered', async () => {
    const [market, watched] = await ask('watch', [
      ['get_market', { market_id: idOf(90) }],
      ['watch_markets', { market_ids: idOf(90), seconds: 1 }],
    ]);
    expectParts(market, ['gap 5 pts on dallas_mavericks', 'x 1090 ($', `token ${token(900)}`, `token ${token(901)}`]);
    expectParts(market, ['- medium postponement_window: Note on postponement_window', 'edge after fees -']);
    expectParts(watched, ['Watched live for 1 s', `m1: ${idOf(90)}`, 'At the start: ', ' m1 signal arb, gap 5 pts']);
  });

  test('the question why a pair is no arbitrage is answered', async () => {
    const [text] = await ask('no arb', [['explain_market', { market_id: idOf(80) }]]);
    expectParts(text, [
      'Answer: band.review: The match is in review',
      'gate band: closed, band.review',
      'gate parity: closed, parity.unconfirmed',
    ]);
    expectParts(text, ['gate risk: open', 'worst risk: medium emergency_decision', 'Closest after fees: edge ']);
    const [game] = await ask('no arb with open gates', [['explain_market', { market_id: idOf(90) }]]);
    expectParts(game, [
      'Answer: edge.none: There is no edge after fees',
      'gate band: open',
      'dallas_mavericks venue_a YES',
    ]);
    expectParts(game, ['Rule: 400 settled occasions, 0 diverged', 'for 80.5 contracts ($']);
  });
});
